// What every entry point of both APIs does around its work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/Failures.h"
#include "common/SimulatorOptions.h"
#include "device/context/Context.h"
#include "device/context/Start.h"

#include <new>

namespace gpuinstr::sim {

/// Writes one line for a call when log=1. \p result is a CUresult or cudaError_t.
void logCall(const char *name, int result);
/// Writes one line at the first call of a function that is not simulated.
void warnUnsupported(const char *name);

/// Refuses calls from host functions, from exit handlers and in forked children.
inline CUresult checkProcess() {
  if (unloading())
    return CUDA_ERROR_DEINITIALIZED;
  if (forkedAfterUse())
    return CUDA_ERROR_NOT_INITIALIZED;
  return threadState().inHostFunction ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

/// Runs \p body without letting an exception out.
template <typename F> CUresult guarded(F &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// The failure that option fail= wants of this call. A lost device stays lost.
inline CUresult wantedFailure(const char *name) {
  if (options().fail.empty())
    return CUDA_SUCCESS;
  auto code = static_cast<CUresult>(chosenFailure(name));
  CUcontext context = nullptr;
  if (isSticky(code) && state().initialised && !currentContext(context) && context)
    context->fault = code;
  return code;
}

/// A driver call that needs no context.
template <typename F> CUresult driverCall(const char *name, F &&body) noexcept {
  CUresult r = checkProcess();
  if (!r)
    r = wantedFailure(name);
  if (!r && !state().initialised)
    r = CUDA_ERROR_NOT_INITIALIZED;
  if (!r)
    r = guarded(body);
  logCall(name, r);
  return r;
}

/// Stores the answer of a query in \p out; a null \p out is an invalid value.
template <typename T, typename V> CUresult store(V value, T *out) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = static_cast<T>(value);
  return CUDA_SUCCESS;
}

/// The error that a kernel left in \p context, if any. What kernels printed before comes out now: a
/// call that fails by it waits for nothing. Takes no lock.
inline CUresult faultOf(CUcontext context) {
  CUresult fault = context->fault;
  if (fault)
    context->output.flush();
  return fault;
}

/// A driver call that works in the current context, which \p body gets.
template <typename F> CUresult contextCall(const char *name, F &&body) noexcept {
  return driverCall(name, [&] {
    CUcontext context = nullptr;
    CUresult r = currentContext(context);
    if (!r)
      r = faultOf(context);
    return r ? r : body(context);
  });
}

/// While alive, stream 0 of this thread means the thread's own default stream.
class PerThreadDefault {
public:
  PerThreadDefault() : Before(threadState().perThreadDefault) {
    threadState().perThreadDefault = true;
  }
  ~PerThreadDefault() { threadState().perThreadDefault = Before; }
  PerThreadDefault(const PerThreadDefault &) = delete;

private:
  bool Before;
};

} // namespace gpuinstr::sim
