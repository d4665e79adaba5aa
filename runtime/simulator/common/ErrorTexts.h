// Names and texts of the error codes, which both APIs number alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuinstr::sim {

struct ErrorText {
  int Value;
  const char *RuntimeName; ///< "cudaErrorInvalidValue"; "" when the runtime API has no such code.
  const char *DriverName;  ///< "CUDA_ERROR_INVALID_VALUE"; "" when the driver API has none.
  const char *Text;
};

/// Null for a number that is no error code.
const ErrorText *errorText(int Value);

} // namespace gpuinstr::sim
