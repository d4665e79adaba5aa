// What the entry points of the runtime API share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/Call.h"

#include <cuda_runtime_api.h>

namespace gpuinstr::sim {

/// Both APIs number their errors alike.
inline cudaError_t toError(CUresult r) { return static_cast<cudaError_t>(r); }
inline cudaError_t toError(cudaError_t e) { return e; }
inline CUresult toResult(cudaError_t e) { return static_cast<CUresult>(e); }

/// Whether cudart itself was finalised (its destructors ran).
bool runtimeUnloading();

/// Ends a runtime call: remembers a failure for cudaGetLastError and logs. "Not ready" is an
/// answer, not a failure.
inline cudaError_t finish(const char *name, cudaError_t e) {
  if (e != cudaSuccess && e != cudaErrorNotReady)
    threadState().lastError = e;
  logCall(name, e);
  return e;
}

/// A runtime call that needs no context; \p body returns a cudaError_t or a CUresult.
template <typename F> cudaError_t runtimeCall(const char *name, F &&body) noexcept {
  CUresult r = runtimeUnloading() ? CUDA_ERROR_DEINITIALIZED : checkProcess();
  if (!r)
    r = wantedFailure(name);
  cudaError_t e = toError(r);
  if (!r)
    e = toError(guarded([&] { return static_cast<CUresult>(body()); }));
  return finish(name, e);
}

/// A runtime call that works on the thread's device, started when need be. \p body gets the
/// context.
template <typename F> cudaError_t deviceCall(const char *name, F &&body) noexcept {
  return runtimeCall(name, [&]() -> cudaError_t {
    CUcontext context = nullptr;
    if (CUresult r = runtimeContext(context))
      return toError(r);
    if (CUresult fault = faultOf(context))
      return toError(fault);
    return toError(body(context));
  });
}

inline CUdeviceptr toAddress(const void *p) { return reinterpret_cast<CUdeviceptr>(p); }
inline CUarray toArray(cudaArray_const_t a) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray *>(a));
}

} // namespace gpuinstr::sim
