// CUPTI's kernel records and nothing else: what any tool that uses them must cost.
// SPDX-License-Identifier: Apache-2.0
//
// Loaded by the driver through CUDA_INJECTION64_PATH; finds libcupti.so by the loader's search
// path.
#include "cupti/LoadCupti.h"
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

// From cupti_activity.h.
constexpr int ConcurrentKernel = 10;
using Requested = void (*)(uint8_t **buffer, size_t *size, size_t *maxRecords);
using Completed = void (*)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                           size_t validSize);
constexpr size_t BufferBytes = size_t(8) << 20;

void requested(uint8_t **buffer, size_t *size, size_t *maxRecords) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, BufferBytes));
  *size = BufferBytes;
  *maxRecords = 0;
}
void completed(void *, uint32_t, uint8_t *buffer, size_t, size_t) { std::free(buffer); }

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void *cupti = loadCupti();
  auto callbacks = reinterpret_cast<int (*)(Requested, Completed)>(
      dlsym(cupti, "cuptiActivityRegisterCallbacks"));
  auto enable = reinterpret_cast<int (*)(int)>(dlsym(cupti, "cuptiActivityEnable"));
  if (!callbacks || !enable || callbacks(requested, completed) != 0 ||
      enable(ConcurrentKernel) != 0)
    std::_Exit(3);
  return 1;
}
