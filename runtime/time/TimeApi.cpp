// The driver's entry points that device timing uses, found as core/Driver.h finds its own.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimeApi.h"
#include <atomic>
#include <dlfcn.h>

namespace gpuinstr::timing {

namespace {
std::atomic<const TimeApi *> Api{nullptr};

template <class F> void find(void *library, F *&function, const char *name) {
  function = reinterpret_cast<F *>(dlsym(library, name));
}

const TimeApi *findApi() {
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto *a = new TimeApi; // leaked: used during exit
  find(library, a->ctxGetCurrent, "cuCtxGetCurrent");
  find(library, a->eventCreate, "cuEventCreate");
  find(library, a->eventRecord, "cuEventRecord");
  find(library, a->eventQuery, "cuEventQuery");
  find(library, a->eventElapsedTime, "cuEventElapsedTime");
  find(library, a->streamQuery, "cuStreamQuery");
  find(library, a->streamIsCapturing, "cuStreamIsCapturing");
  find(library, a->streamCreate, "cuStreamCreate");
  find(library, a->streamDestroy, "cuStreamDestroy_v2");
  find(library, a->launchHostFunc, "cuLaunchHostFunc");
  find(library, a->threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode");
  find(library, a->pointerGetAttribute, "cuPointerGetAttribute");
  find(library, a->funcGetAttribute, "cuFuncGetAttribute");
  find(library, a->kernelGetFunction, "cuKernelGetFunction");
  find(library, a->occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(library, a->ctxGetDevice, "cuCtxGetDevice");
  find(library, a->deviceGetAttribute, "cuDeviceGetAttribute");
  return a;
}
} // namespace

const TimeApi *timeApi() {
  const TimeApi *known = Api.load(std::memory_order_acquire);
  if (known)
    return known;
  const TimeApi *found = findApi();
  if (found && !Api.compare_exchange_strong(known, found))
    return known;
  return found;
}

void useTimeApi(const TimeApi *api) { Api.store(api ? new TimeApi(*api) : nullptr); }

bool isCapturing(const TimeApi &api, uint64_t stream) {
  // The legacy default stream cannot be captured, and asking would disturb others' captures.
  if (!api.streamIsCapturing || stream < 2)
    return false;
  int status = 0;
  return api.streamIsCapturing(asHandle(stream), &status) == Success && status != 0;
}

uint64_t contextOf(const TimeApi &api) {
  void *context = nullptr;
  return api.ctxGetCurrent && api.ctxGetCurrent(&context) == Success
             ? reinterpret_cast<uint64_t>(context)
             : 0;
}

} // namespace gpuinstr::timing
