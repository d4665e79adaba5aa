// cudaGetLastError and the names of errors.
// SPDX-License-Identifier: Apache-2.0
#include "common/ErrorTexts.h"
#include "cudart/RuntimeCall.h"

#include <atomic>

using namespace gpuinstr::sim;

namespace {
std::atomic<bool> Finalised{false};
__attribute__((destructor)) void finalise() { Finalised = true; }
} // namespace

bool gpuinstr::sim::runtimeUnloading() { return Finalised.load(std::memory_order_relaxed); }

namespace gpuinstr::sim {
/// What the functions in Unsupported.def do.
int unsupportedResult(const char *name) {
  if (CUresult wanted = wantedFailure(name))
    return finish(name, toError(wanted));
  warnUnsupported(name);
  return finish(name, cudaErrorNotSupported);
}
} // namespace gpuinstr::sim

extern "C" {

cudaError_t CUDARTAPI cudaGetLastError() {
  auto e = static_cast<cudaError_t>(threadState().lastError);
  CUcontext c = nullptr;
  // A kernel's fault stays until the device is reset.
  if (!e || !state().initialised || currentContext(c) || toError(c->fault) != e)
    threadState().lastError = cudaSuccess;
  logCall(__func__, e);
  return e;
}

cudaError_t CUDARTAPI cudaPeekAtLastError() {
  auto e = static_cast<cudaError_t>(threadState().lastError);
  logCall(__func__, e);
  return e;
}

const char *CUDARTAPI cudaGetErrorName(cudaError_t error) {
  const ErrorText *found = errorText(error);
  return found && *found->runtimeName ? found->runtimeName : "unrecognized error code";
}

const char *CUDARTAPI cudaGetErrorString(cudaError_t error) {
  const ErrorText *found = errorText(error);
  return found ? found->text : "unrecognized error code";
}

} // extern "C"
