// Error codes, and errors that nobody asks about.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_IGNOREDERRORS_H
#define GPUINSTR_FINDINGS_IGNOREDERRORS_H

#include "calls/threads/Thread.h"
#include <string>

namespace gpuinstr {

// Codes that cudaError_t and CUresult share.
enum : int32_t {
  ErrorInvalidValue = 1,
  ErrorMemoryAllocation = 2,
  ErrorUnloading = 4, ///< cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED: CUDA is already gone
  ErrorInvalidDevicePointer = 17,
  ErrorInvalidHandle = 400,
  ErrorNotFound = 500,
  ErrorNotReady = 600,
  ErrorPeerAccessAlreadyEnabled = 704,
  ErrorHostMemoryAlreadyRegistered = 712,
  ErrorHostMemoryNotRegistered = 713
};

/// Whether the call failed. Status codes are no errors, and cudaGetLastError reports one, it does
/// not fail.
bool isError(int32_t result, const gpuinstr_site &site);

/// cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE; "error 1234" when the table lacks it.
std::string errorName(int32_t code, bool driver);

/// The outermost call failed, or the launch inside it did. Ends the wait for an earlier error, and
/// begins one for this when the source discards its result.
void noteFailure(ThreadState &thread, const gpuinstr_site &site, int32_t result);

/// What the error becomes when nobody asks.
struct FindingKey;
FindingKey pendingKey(const PendingError &pending);
/// Nobody asked: the finding is made.
void ignoredErrorIsFinal(const PendingError &pending);

/// Looks at cudaGetLastError and cudaPeekAtLastError.
void addErrorObserver();

} // namespace gpuinstr

#endif
