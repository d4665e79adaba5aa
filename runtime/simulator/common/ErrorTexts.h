// Names and texts of the error codes, which both APIs number alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuinstr::sim {

struct ErrorText {
  int value;
  const char *runtimeName; ///< "cudaErrorInvalidValue"; "" when the runtime API has no such code.
  const char *driverName;  ///< "CUDA_ERROR_INVALID_VALUE"; "" when the driver API has none.
  const char *text;
};

/// Null for a number that is no error code.
const ErrorText *errorText(int value);

} // namespace gpuinstr::sim
