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
int unsupportedResult(const char *Name) {
  warnUnsupported(Name);
  return finish(Name, cudaErrorNotSupported);
}
} // namespace gpuinstr::sim

extern "C" {

cudaError_t CUDARTAPI cudaGetLastError() {
  auto E = static_cast<cudaError_t>(threadState().LastError);
  CUcontext C = nullptr;
  // A kernel's fault stays until the device is reset.
  if (!E || !state().Initialised || currentContext(C) || toError(C->Fault) != E)
    threadState().LastError = cudaSuccess;
  logCall(__func__, E);
  return E;
}

cudaError_t CUDARTAPI cudaPeekAtLastError() {
  auto E = static_cast<cudaError_t>(threadState().LastError);
  logCall(__func__, E);
  return E;
}

const char *CUDARTAPI cudaGetErrorName(cudaError_t Error) {
  const ErrorText *Found = errorText(Error);
  return Found && *Found->RuntimeName ? Found->RuntimeName : "unrecognized error code";
}

const char *CUDARTAPI cudaGetErrorString(cudaError_t Error) {
  const ErrorText *Found = errorText(Error);
  return Found ? Found->Text : "unrecognized error code";
}

} // extern "C"
