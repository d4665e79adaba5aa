// NVTX's ranges of programs that were not compiled with the plugin: NVTX loads us as its tool.
// SPDX-License-Identifier: Apache-2.0
//
// The numbers and layouts are NVTX version 3's, which keeps them for good.
#include "attach/Runtime.h"
#include "nvtx/PhaseRanges.h"
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::attach {

namespace {

const gpuinstr_table *Runtime = nullptr;
std::atomic<uint64_t> LastNumber{0}; ///< of ranges that are started and ended
thread_local int Depth = 0;

/// A domain, or a text that was registered: its address is the program's handle.
struct Handle {
  std::string text;
};
/// A program that registers texts without end must not take memory without end.
constexpr size_t MostHandles = 1 << 16;

const Handle *handleFor(const char *text) {
  static auto *mutex = new std::mutex;
  static auto *all = new std::unordered_map<std::string, std::unique_ptr<Handle>>;
  static auto *other = new Handle{"other ranges"};
  std::lock_guard<std::mutex> lock(*mutex);
  std::string key = text ? text : "";
  auto known = all->find(key);
  if (known != all->end())
    return known->second.get();
  if (all->size() >= MostHandles)
    return other;
  return all->emplace(key, new Handle{key}).first->second.get();
}

uint64_t tell(uint32_t what, const void *message, uint64_t value) {
  return Runtime->nvtx(what | GPUINSTR_NVTX_BY_TOOL, message, value);
}

/// One of PUSH_EX and START_EX; with a text of its own where the attributes have a handle.
void tellAttributes(uint32_t what, uint32_t plain, const NvtxAttributes *from, uint64_t value) {
  bool isRegistered = from && from->size >= sizeof(NvtxAttributes) &&
                      from->messageType == NvtxAttributes::Registered && from->message;
  if (isRegistered)
    tell(plain, static_cast<const Handle *>(from->message)->text.c_str(), value);
  else
    tell(what, from, value);
}

int pushInto(const void *domain, const NvtxAttributes *attributes) {
  tellAttributes(GPUINSTR_NVTX_PUSH_EX, GPUINSTR_NVTX_PUSH_A, attributes, uint64_t(domain));
  return Depth++;
}
int popFrom(const void *domain) {
  tell(GPUINSTR_NVTX_POP, nullptr, uint64_t(domain));
  return Depth > 0 ? --Depth : 0;
}
uint64_t startIn(const void *, const NvtxAttributes *attributes) {
  uint64_t number = ++LastNumber;
  tellAttributes(GPUINSTR_NVTX_START_EX, GPUINSTR_NVTX_START_A, attributes, number);
  return number;
}
void endIn(const void *, uint64_t number) { tell(GPUINSTR_NVTX_END, nullptr, number); }

int push(const NvtxAttributes *attributes) { return pushInto(nullptr, attributes); }
int pop() { return popFrom(nullptr); }
int pushText(const char *text) {
  tell(GPUINSTR_NVTX_PUSH_A, text, 0);
  return Depth++;
}
int pushWide(const wchar_t *text) {
  tell(GPUINSTR_NVTX_PUSH_W, text, 0);
  return Depth++;
}
uint64_t start(const NvtxAttributes *attributes) { return startIn(nullptr, attributes); }
uint64_t startText(const char *text) {
  uint64_t number = ++LastNumber;
  tell(GPUINSTR_NVTX_START_A, text, number);
  return number;
}
uint64_t startWide(const wchar_t *text) {
  uint64_t number = ++LastNumber;
  tell(GPUINSTR_NVTX_START_W, text, number);
  return number;
}
void end(uint64_t number) { endIn(nullptr, number); }

const Handle *createDomain(const char *name) { return handleFor(name); }
const Handle *registerText(const void *, const char *text) { return handleFor(text); }

using Function = void (*)();
/// NvtxFunctionTable: for each number the place of a function; nullptr: this version has none.
using Table = Function **;

struct Entry {
  uint32_t number;
  Function function;
};
template <class F> Entry entry(uint32_t number, F *function) {
  return {number, reinterpret_cast<Function>(function)};
}

/// NvtxExportTableCallbacks.
struct Callbacks {
  size_t size;
  int (*tableOf)(uint32_t module, Table *table, uint32_t *size);
};

template <size_t Count>
void put(const Callbacks &callbacks, uint32_t module, const Entry (&entries)[Count]) {
  Table table = nullptr;
  uint32_t size = 0;
  if (!callbacks.tableOf(module, &table, &size) || !table)
    return;
  for (const Entry &one : entries)
    if (one.number < size && table[one.number])
      *table[one.number] = one.function;
}

} // namespace

static bool listen(const void *(*exported)(uint32_t)) {
  constexpr uint32_t CallbackTables = 1, Core = 1, Domains = 5;
  auto *callbacks = static_cast<const Callbacks *>(exported(CallbackTables));
  std::string why;
  if (!callbacks || !callbacks->tableOf || !(Runtime = connectRuntime(why)) ||
      Runtime->may_enter() < 0)
    return false;
  const Entry core[] = {entry(4, start), entry(5, startText), entry(6, startWide), entry(7, end),
                        entry(8, push),  entry(9, pushText),  entry(10, pushWide), entry(11, pop)};
  const Entry domains[] = {entry(2, startIn), entry(3, endIn),         entry(4, pushInto),
                           entry(5, popFrom), entry(10, registerText), entry(12, createDomain)};
  put(*callbacks, Core, core);
  put(*callbacks, Domains, domains);
  return true;
}

} // namespace gpuinstr::attach

/// NVTX calls it at a program's first range. Other results than 1 leave NVTX without a tool.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*exported)(uint32_t)) {
  return gpuinstr::attach::listen(exported);
}
