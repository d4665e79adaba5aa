// capture=nvtx@NAME for the ranges that the program opens through NVTX itself.
// SPDX-License-Identifier: Apache-2.0
//
// Push and pop belong to a thread and, where a tool made handles for them, to a domain. Start and
// end belong to the process and meet in a number. Without a tool NVTX returns 0 as number of every
// range and as handle of every registered string: those of our name get one of ours, which NVTX
// hands to nobody.
#include "nvtx/CaptureNvtx.h"
#include "base/Guard.h"
#include "nvtx/CaptureRange.h"
#include "nvtx/PhaseRanges.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace gpuinstr {

namespace {

constexpr uint64_t OwnNumbers = uint64_t(0x6775) << 48;
constexpr std::size_t MostOpen = 4096; ///< of a thread; deeper ones are counted only

/// Leaked: used during exit.
struct State {
  std::string name;
  std::wstring wideName;
  bool hasTool = false;
  char ownHandle = 0;            ///< its address is the handle of our name
  std::mutex mutex;              ///< for what follows; taken before CaptureRange's
  std::vector<uint64_t> handles; ///< of our name, made by a tool
  std::vector<uint64_t> started; ///< ranges in progress of our name
  uint64_t lastNumber = OwnNumbers;
};
State *TheState = nullptr;

/// Not UTF-8: one character a byte, which equals nothing that NVTX would be given.
std::wstring widened(const std::string &text) {
  std::wstring out;
  for (std::size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    wchar_t c = more ? wchar_t(lead & (0x3f >> more)) : wchar_t(lead);
    for (++i; more && i < text.size() && (text[i] & 0xc0) == 0x80; --more, ++i)
      c = wchar_t(c << 6 | (text[i] & 0x3f));
    out += c;
  }
  return out;
}

bool isOurs(const State &s, const char *text) { return text && s.name == text; }

/// Reads no further than to the first difference: with -fshort-wchar the text is of another width.
bool isOurs(const State &s, const wchar_t *text) {
  std::size_t i = 0;
  while (text && i < s.wideName.size() && text[i] == s.wideName[i])
    ++i;
  return text && i == s.wideName.size() && text[i] == 0;
}

bool isOurHandle(State &s, uint64_t handle) {
  if (handle == reinterpret_cast<uint64_t>(&s.ownHandle))
    return true;
  std::lock_guard<std::mutex> lock(s.mutex);
  return std::find(s.handles.begin(), s.handles.end(), handle) != s.handles.end();
}

bool isOurs(State &s, const NvtxAttributes *attributes) {
  if (!attributes || attributes->size < sizeof(NvtxAttributes))
    return false;
  switch (attributes->messageType) {
  case NvtxAttributes::Ascii:
    return isOurs(s, static_cast<const char *>(attributes->message));
  case NvtxAttributes::Unicode:
    return isOurs(s, static_cast<const wchar_t *>(attributes->message));
  case NvtxAttributes::Registered:
    return attributes->message && isOurHandle(s, reinterpret_cast<uint64_t>(attributes->message));
  default:
    return false;
  }
}

bool isOurs(State &s, uint32_t what, const void *message) {
  switch (what) {
  case GPUINSTR_NVTX_PUSH_A:
  case GPUINSTR_NVTX_START_A:
  case GPUINSTR_NVTX_REGISTER_A:
    return isOurs(s, static_cast<const char *>(message));
  case GPUINSTR_NVTX_PUSH_W:
  case GPUINSTR_NVTX_START_W:
  case GPUINSTR_NVTX_REGISTER_W:
    return isOurs(s, static_cast<const wchar_t *>(message));
  default:
    return isOurs(s, static_cast<const NvtxAttributes *>(message));
  }
}

void pushed(ThreadState &thread, uint64_t domain, bool ours) {
  if (thread.nvtxRanges.size() >= MostOpen) {
    ++thread.deeperNvtxRanges;
    return;
  }
  thread.nvtxRanges.push_back({domain, ours});
  if (ours)
    captureOpened(1);
}

/// Of the innermost range in that domain; where there is none, the program pops once too often.
void popped(ThreadState &thread, uint64_t domain) {
  if (thread.deeperNvtxRanges) {
    --thread.deeperNvtxRanges;
    return;
  }
  auto &ranges = thread.nvtxRanges;
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].domain != domain)
      continue;
    bool ours = ranges[i].ours;
    ranges.erase(ranges.begin() + std::ptrdiff_t(i));
    if (ours)
      captureOpened(-1);
    return;
  }
}

/// The number that the program gets in place of 0, else 0.
uint64_t started(State &s, uint64_t number) {
  uint64_t own = 0;
  std::lock_guard<std::mutex> lock(s.mutex);
  if (!number) {
    if (s.hasTool)
      return 0;
    number = own = ++s.lastNumber;
  }
  s.started.push_back(number);
  captureOpened(1);
  return own;
}

void ended(State &s, uint64_t number) {
  std::lock_guard<std::mutex> lock(s.mutex);
  auto at = std::find(s.started.begin(), s.started.end(), number);
  if (at == s.started.end())
    return;
  s.started.erase(at);
  captureOpened(-1);
}

uint64_t registered(State &s, uint64_t handle) {
  if (!handle)
    return s.hasTool ? 0 : reinterpret_cast<uint64_t>(&s.ownHandle);
  std::lock_guard<std::mutex> lock(s.mutex);
  s.handles.push_back(handle);
  return 0;
}

uint64_t note(ThreadState &thread, uint32_t what, const void *message, uint64_t value) {
  State &s = *TheState;
  switch (what) {
  case GPUINSTR_NVTX_PUSH_A:
  case GPUINSTR_NVTX_PUSH_W:
  case GPUINSTR_NVTX_PUSH_EX:
    pushed(thread, value, isOurs(s, what, message));
    return 0;
  case GPUINSTR_NVTX_POP:
    popped(thread, value);
    return 0;
  case GPUINSTR_NVTX_START_A:
  case GPUINSTR_NVTX_START_W:
  case GPUINSTR_NVTX_START_EX:
    return isOurs(s, what, message) ? started(s, value) : 0;
  case GPUINSTR_NVTX_END:
    ended(s, value);
    return 0;
  case GPUINSTR_NVTX_REGISTER_A:
  case GPUINSTR_NVTX_REGISTER_W:
    return isOurs(s, what, message) ? registered(s, value) : 0;
  default:
    return 0;
  }
}

} // namespace

void startCaptureNvtx(const std::string &name) {
  TheState = new State;
  TheState->name = name;
  TheState->wideName = widened(name);
  // NVTX looks here for its tool. One that returns 0 all the same must not meet our values.
  TheState->hasTool = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
}

static __attribute__((noinline)) uint64_t noteNvtxSlow(uint32_t what, const void *message,
                                                       uint64_t value) {
  ThreadState *thread = thisThread();
  if (!thread)
    return 0;
  BusyScope busy(*thread);
  uint64_t result = 0;
  guarded([&] { result = note(*thread, what, message, value); });
  return result;
}

/// An attached program's ranges come from NVTX itself; the plugin's thunks would tell them twice.
static bool isToldTwice(uint32_t what) {
  static std::atomic<bool> toolTells{false};
  if (__builtin_expect((what & GPUINSTR_NVTX_BY_TOOL) != 0, false)) {
    toolTells.store(true, std::memory_order_relaxed);
    return false;
  }
  return toolTells.load(std::memory_order_relaxed);
}

uint64_t noteNvtx(uint32_t what, const void *message, uint64_t value) {
  if (isToldTwice(what))
    return 0;
  what &= ~uint32_t(GPUINSTR_NVTX_BY_TOOL);
  if (what == GPUINSTR_NVTX_POP) // before the recording ends
    phaseOfNvtx(what, message, value);
  uint64_t result = capturesNamedRange() ? noteNvtxSlow(what, message, value) : 0;
  if (what <= GPUINSTR_NVTX_PUSH_EX)
    phaseOfNvtx(what, message, value);
  return result;
}

std::mutex &captureNvtxMutex() { return TheState->mutex; }
std::size_t startedCaptures() { return TheState->started.size(); }

} // namespace gpuinstr
