// CUPTI's durations of kernels, sets and copies, summed: the truth for truth.cu.
// SPDX-License-Identifier: Apache-2.0
//
// Loaded by the driver through CUDA_INJECTION64_PATH; finds libcupti.so by the loader's search
// path. At exit prints `NAME: COUNT TOTAL_NS` for each kernel, and for sets and copies by their
// size as `[CUDA memset] BYTES`, `[CUDA memcpy Host-to-Device] BYTES`.
#include "cupti/LoadCupti.h"
#include <cstdio>
#include <cstdlib>
#include <cupti_activity.h>
#include <map>
#include <string>

namespace {

struct Sum {
  unsigned long long count = 0, ns = 0;
};
// CUPTI hands over one buffer at a time.
std::map<std::string, Sum> *Sums = new std::map<std::string, Sum>;
decltype(&cuptiActivityGetNextRecord) NextRecord;
decltype(&cuptiActivityFlushAll) Flush;
constexpr size_t BufferBytes = size_t(8) << 20;

template <class Record> void add(const std::string &name, const Record &record) {
  Sum &sum = (*Sums)[name];
  ++sum.count;
  sum.ns += record.end - record.start;
}

const char *direction(uint8_t kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    return "Host-to-Device";
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    return "Device-to-Host";
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    return "Device-to-Device";
  default:
    return "other";
  }
}

void addRecord(const CUpti_Activity &any) {
  if (any.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    auto &kernel = reinterpret_cast<const CUpti_ActivityKernel9 &>(any);
    add(kernel.name, kernel);
  } else if (any.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    auto &set = reinterpret_cast<const CUpti_ActivityMemset4 &>(any);
    add("[CUDA memset] " + std::to_string(set.bytes), set);
  } else if (any.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    auto &copy = reinterpret_cast<const CUpti_ActivityMemcpy5 &>(any);
    add(std::string("[CUDA memcpy ") + direction(copy.copyKind) + "] " + std::to_string(copy.bytes),
        copy);
  }
}

void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, BufferBytes));
  *size = BufferBytes;
  *most = 0;
}
void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  CUpti_Activity *record = nullptr;
  while (NextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    addRecord(*record);
  std::free(buffer);
}

void finish() {
  Flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (auto &[name, sum] : *Sums)
    std::printf("%s: %llu %llu\n", name.c_str(), sum.count, sum.ns);
  std::fflush(stdout);
}

template <class Function> Function *find(void *cupti, const char *name, Function *) {
  auto *found = reinterpret_cast<Function *>(dlsym(cupti, name));
  if (!found)
    std::_Exit(3);
  return found;
}
#define FIND(name) find(cupti, #name, &name)

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void *cupti = loadCupti();
  NextRecord = FIND(cuptiActivityGetNextRecord);
  Flush = FIND(cuptiActivityFlushAll);
  auto *enable = FIND(cuptiActivityEnable);
  if (FIND(cuptiActivityRegisterCallbacks)(requested, completed) != CUPTI_SUCCESS)
    std::_Exit(3);
  for (CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMSET,
                                  CUPTI_ACTIVITY_KIND_MEMCPY})
    if (enable(kind) != CUPTI_SUCCESS)
      std::_Exit(3);
  std::atexit(finish);
  return 1;
}
