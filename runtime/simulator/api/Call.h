// What every entry point of both APIs does around its work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/context/Context.h"
#include "device/context/Start.h"

#include <new>

namespace gpuinstr::sim {

/// Writes one line for a call when log=1. \p Result is a CUresult or cudaError_t.
void logCall(const char *Name, int Result);
/// Writes one line at the first call of a function that is not simulated.
void warnUnsupported(const char *Name);

/// Refuses calls from host functions, from exit handlers and in forked children.
inline CUresult checkProcess() {
  if (unloading())
    return CUDA_ERROR_DEINITIALIZED;
  if (forkedAfterUse())
    return CUDA_ERROR_NOT_INITIALIZED;
  return threadState().InHostFunction ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

/// Runs \p Body without letting an exception out.
template <typename F> CUresult guarded(F &&Body) noexcept {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// A driver call that needs no context.
template <typename F> CUresult driverCall(const char *Name, F &&Body) noexcept {
  CUresult R = checkProcess();
  if (!R && !state().Initialised)
    R = CUDA_ERROR_NOT_INITIALIZED;
  if (!R)
    R = guarded(Body);
  logCall(Name, R);
  return R;
}

/// Stores the answer of a query in \p Out; a null \p Out is an invalid value.
template <typename T, typename V> CUresult store(V Value, T *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = static_cast<T>(Value);
  return CUDA_SUCCESS;
}

/// The error that a kernel left in \p Context, if any. What kernels printed before comes out now: a
/// call that fails by it waits for nothing. Takes no lock.
inline CUresult faultOf(CUcontext Context) {
  CUresult Fault = Context->Fault;
  if (Fault)
    Context->Output.flush();
  return Fault;
}

/// A driver call that works in the current context, which \p Body gets.
template <typename F> CUresult contextCall(const char *Name, F &&Body) noexcept {
  return driverCall(Name, [&] {
    CUcontext Context = nullptr;
    CUresult R = currentContext(Context);
    if (!R)
      R = faultOf(Context);
    return R ? R : Body(Context);
  });
}

/// While alive, stream 0 of this thread means the thread's own default stream.
class PerThreadDefault {
public:
  PerThreadDefault() : Before(threadState().PerThreadDefault) {
    threadState().PerThreadDefault = true;
  }
  ~PerThreadDefault() { threadState().PerThreadDefault = Before; }
  PerThreadDefault(const PerThreadDefault &) = delete;

private:
  bool Before;
};

} // namespace gpuinstr::sim
