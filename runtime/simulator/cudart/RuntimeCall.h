// What the entry points of the runtime API share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/Call.h"

#include <cuda_runtime_api.h>

namespace gpuinstr::sim {

/// Both APIs number their errors alike.
inline cudaError_t toError(CUresult R) { return static_cast<cudaError_t>(R); }
inline cudaError_t toError(cudaError_t E) { return E; }
inline CUresult toResult(cudaError_t E) { return static_cast<CUresult>(E); }

/// Whether cudart itself was finalised (its destructors ran).
bool runtimeUnloading();

/// Ends a runtime call: remembers a failure for cudaGetLastError and logs. "Not ready" is an
/// answer, not a failure.
inline cudaError_t finish(const char *Name, cudaError_t E) {
  if (E != cudaSuccess && E != cudaErrorNotReady)
    threadState().LastError = E;
  logCall(Name, E);
  return E;
}

/// A runtime call that needs no context; \p Body returns a cudaError_t or a CUresult.
template <typename F> cudaError_t runtimeCall(const char *Name, F &&Body) noexcept {
  CUresult R = runtimeUnloading() ? CUDA_ERROR_DEINITIALIZED : checkProcess();
  cudaError_t E = toError(R);
  if (!R)
    E = toError(guarded([&] { return static_cast<CUresult>(Body()); }));
  return finish(Name, E);
}

/// A runtime call that works on the thread's device, started when need be. \p Body gets the
/// context.
template <typename F> cudaError_t deviceCall(const char *Name, F &&Body) noexcept {
  return runtimeCall(Name, [&]() -> cudaError_t {
    CUcontext Context = nullptr;
    if (CUresult R = runtimeContext(Context))
      return toError(R);
    if (CUresult Fault = faultOf(Context))
      return toError(Fault);
    return toError(Body(Context));
  });
}

inline CUdeviceptr toAddress(const void *P) { return reinterpret_cast<CUdeviceptr>(P); }
inline CUarray toArray(cudaArray_const_t A) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray *>(A));
}

} // namespace gpuinstr::sim
