// A libcuda.so.1 that answers every question at once: leaves the runtime's own cost.
// SPDX-License-Identifier: Apache-2.0
#include "FakeCuda.h"
#include <cstddef>
#include <cstdint>

#define ENTRY extern "C" __attribute__((visibility("default"))) int

ENTRY cuCtxGetCurrent(void **context) {
  *context = reinterpret_cast<void *>(1);
  return 0;
}
ENTRY cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
ENTRY cuPointerGetAttribute(void *value, int, uint64_t) {
  *static_cast<uint64_t *>(value) = 1;
  return 0;
}
ENTRY cuPointerGetAttributes(unsigned count, int *attributes, void **values, uint64_t) {
  for (unsigned i = 0; i < count; ++i)
    *static_cast<int *>(values[i]) = attributes[i] == 7; // the buffer's id is 1
  return 0;
}
ENTRY cuMemGetAddressRange_v2(uint64_t *, size_t *, uint64_t) { return 1; }
ENTRY cuThreadExchangeStreamCaptureMode(int *) { return 0; }

namespace {
bool Capturing = false;
bool isCaptured(const void *stream) {
  return Capturing && stream == reinterpret_cast<void *>(gpuinstr::bench::CapturedStream);
}
} // namespace

extern "C" __attribute__((visibility("default"))) void gpuinstr_bench_set_capturing(bool on) {
  Capturing = on;
}
ENTRY cuStreamIsCapturing(void *stream, int *status) {
  *status = isCaptured(stream);
  return 0;
}
ENTRY cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **,
                                void *const **, size_t *) {
  *status = isCaptured(stream);
  *id = isCaptured(stream);
  return 0;
}

ENTRY cuFuncGetName(const char **name, uint64_t function) {
  using namespace gpuinstr::bench;
  if (function < FirstFunction || function > StructFunction)
    return 400; // CUDA_ERROR_INVALID_HANDLE
  *name = function == StructFunction ? "of_struct" : "of_pointers";
  return 0;
}
ENTRY cuFuncGetParamInfo(uint64_t function, size_t index, size_t *offset, size_t *bytes) {
  using namespace gpuinstr::bench;
  bool takesStruct = function == StructFunction;
  if (index >= (takesStruct ? 1 : 3))
    return 1; // CUDA_ERROR_INVALID_VALUE
  *offset = index * sizeof(uint64_t);
  *bytes = takesStruct ? StructBytes : sizeof(uint64_t);
  return 0;
}
