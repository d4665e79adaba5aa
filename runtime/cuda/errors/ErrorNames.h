// Error codes of CUDA: which of them are failures, and what they are called.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_ERRORNAMES_H
#define GPUINSTR_CUDA_ERRORNAMES_H

#include "gpuinstr/abi.h"
#include <cstdint>
#include <string>

namespace gpuinstr {

// Codes that cudaError_t and CUresult share.
enum : int32_t {
  ErrorInvalidValue = 1,
  ErrorMemoryAllocation = 2,
  ErrorUnloading = 4, ///< cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED: CUDA is already gone
  ErrorInvalidDevicePointer = 17,
  ErrorStubLibrary = 34,
  ErrorInsufficientDriver = 35,
  ErrorNoDevice = 100,
  ErrorInvalidHandle = 400,
  ErrorNotFound = 500,
  ErrorNotReady = 600,
  ErrorPeerAccessAlreadyEnabled = 704,
  ErrorContextIsDestroyed = 709,
  ErrorHostMemoryAlreadyRegistered = 712,
  ErrorHostMemoryNotRegistered = 713,
  ErrorSystemDriverMismatch = 803,
  ErrorCompatNotSupportedOnDevice = 804
};

/// Whether the call failed. Status codes are no errors, and cudaGetLastError reports one, it does
/// not fail.
bool isError(int32_t result, const gpuinstr_site &site);

/// Whether the error is an earlier kernel's, or the device cannot be had, and every later call of
/// the device returns it, frees as well: it is lost until a reset.
bool losesDevice(int32_t result);

/// cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE; "error 1234" when the table lacks it.
std::string errorName(int32_t code, bool driver);

} // namespace gpuinstr

#endif
