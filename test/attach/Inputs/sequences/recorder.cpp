// Writes down each callback of CUPTI's around driver functions: what the stand-in is compared with.
// SPDX-License-Identifier: Apache-2.0
//
// A library for CUDA_INJECTION64_PATH. SEQUENCES_OUT names the file; a line for each callback:
//   THREAD > NAME NUMBER DEPTH PARAMETER...           enter
//   THREAD < NAME NUMBER DEPTH =RESULT PARAMETER...   exit
// Addresses are a1, a2, ... in the order in which they come. SEQUENCES_COUNT=1: callbacks of the
// functions that attaching watches, which do nothing: what CUPTI itself costs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "attach/driver/CuptiCallbacks.h"

using gpuinstr::attach::CallbackData;

namespace {

struct Place {
  unsigned offset, bytes;
};
struct Function {
  const char *name;
  std::vector<Place> parameters;
};

const std::map<uint32_t, Function> &functions() {
  static const auto *all = new std::map<uint32_t, Function>{
#define P(offset, bytes) {offset, bytes},
#define DRIVER_CALL(row, name, number, parameters) {number, {#name, {parameters}}},
#include "attach/driver/DriverCalls.def"
#undef P
  };
  return *all;
}

std::mutex Mutex;
std::string Text;
std::map<uint64_t, unsigned> Addresses;
unsigned Threads = 0;
thread_local unsigned Thread = 0;
thread_local std::vector<uint32_t> Open; ///< correlations of the calls in progress
constexpr uint64_t LeastAddress = uint64_t(1) << 32;

void add(const char *format, unsigned long long value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  Text += text;
}

void addParameters(const Function &function, const void *parameters) {
  for (const Place &place : function.parameters) {
    uint64_t value = 0;
    if (place.bytes > sizeof value) {
      add(" %llu-bytes", place.bytes);
      continue;
    }
    std::memcpy(&value, static_cast<const char *>(parameters) + place.offset, place.bytes);
    if (place.bytes == sizeof value && value >= LeastAddress)
      add(" a%llu", Addresses.try_emplace(value, unsigned(Addresses.size()) + 1).first->second);
    else
      add(" %llu", value);
  }
}

void onCall(void *, int domain, uint32_t number, const CallbackData *data) {
  if (domain != gpuinstr::attach::DriverDomain)
    return;
  std::lock_guard<std::mutex> lock(Mutex);
  if (!Thread)
    Thread = ++Threads;
  bool isExit = data->site == 1;
  const char *trouble = "";
  if (!isExit) {
    Open.push_back(data->correlation);
    *data->kept = uint64_t(data->correlation) << 8 | Open.size();
  } else if (Open.empty() || Open.back() != data->correlation ||
             *data->kept != (uint64_t(data->correlation) << 8 | Open.size())) {
    trouble = " (not the exit of the last enter)";
  }
  auto known = functions().find(number);
  add("%llu ", Thread);
  Text += isExit ? "< " : "> ";
  Text += data->function ? data->function : "?";
  add(" %llu", number);
  add(" %llu", Open.size());
  int result = 0;
  if (isExit) {
    std::memcpy(&result, data->result, sizeof result);
    add(" =%llu", unsigned(result));
  }
  if (known == functions().end())
    Text += " not in the table";
  else
    addParameters(known->second, data->parameters);
  Text += trouble;
  Text += '\n';
  if (isExit && !Open.empty())
    Open.pop_back();
}

uint64_t Counted = 0;
void onCount(void *, int, uint32_t, const CallbackData *) { ++Counted; }

void *loadCupti() {
  const char *named = std::getenv("SEQUENCES_CUPTI");
  const char *const names[] = {named ? named : "", "libcupti.so.13", "libcupti.so.12"};
  for (const char *name : names)
    if (void *library = *name ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : nullptr)
      return library;
  return nullptr;
}

struct Writer {
  ~Writer() {
    const char *path = std::getenv("SEQUENCES_OUT");
    std::FILE *file = path ? std::fopen(path, "w") : nullptr;
    if (!file)
      return;
    std::lock_guard<std::mutex> lock(Mutex);
    std::fwrite(Text.data(), 1, Text.size(), file);
    std::fclose(file);
  }
} AtEnd;

int (*Enable)(uint32_t, void *, int, uint32_t) = nullptr;
void *Subscriber = nullptr;

int watch(int on) {
  int count = 0;
  for (const auto &[number, function] : functions())
    count += Subscriber && Enable(on != 0, Subscriber, gpuinstr::attach::DriverDomain, number) == 0;
  return count;
}

int begin() {
  void *cupti = loadCupti();
  if (!cupti)
    return std::fprintf(stderr, "recorder: no libcupti\n");
  auto subscribe = reinterpret_cast<int (*)(void **, gpuinstr::attach::Callback, void *)>(
      dlsym(cupti, "cuptiSubscribe"));
  Enable = reinterpret_cast<int (*)(uint32_t, void *, int, uint32_t)>(
      dlsym(cupti, "cuptiEnableCallback"));
  auto enableAll =
      reinterpret_cast<int (*)(uint32_t, void *, int)>(dlsym(cupti, "cuptiEnableDomain"));
  bool counts = std::getenv("SEQUENCES_COUNT") != nullptr;
  if (int result = subscribe(&Subscriber, counts ? onCount : onCall, nullptr))
    return std::fprintf(stderr, "recorder: cuptiSubscribe: %d\n", result);
  if (!counts)
    return enableAll(1, Subscriber, gpuinstr::attach::DriverDomain);
  watch(1);
  return 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  begin();
  return 1;
}

/// As the attaching library has it.
extern "C" __attribute__((visibility("default"))) int gpuinstr_attach_watch(int on) {
  return watch(on);
}
