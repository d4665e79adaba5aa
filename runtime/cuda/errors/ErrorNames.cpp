// Error codes of CUDA: which of them are failures, and what they are called.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/errors/ErrorNames.h"
#include "base/HotCode.h"

namespace gpuinstr {

GPUINSTR_HOT bool isError(int32_t result, const gpuinstr_site &site) {
  if (result == 0 || site.op == GPUINSTR_OP_GET_ERROR || site.op == GPUINSTR_OP_PEEK_ERROR)
    return false;
  if (site.flags & GPUINSTR_SITE_STATUS)
    return true;
  switch (result) {
  case ErrorUnloading:
  case ErrorNotReady:
  case ErrorPeerAccessAlreadyEnabled:
  case ErrorHostMemoryAlreadyRegistered:
    return false;
  }
  return true;
}

bool losesDevice(int32_t result) {
  switch (result) {
  case 46:  // a GPU that is busy, or that recovers from a fault
  case 214: // an uncorrectable error of the memory
  case 700: // an illegal address
  case 702: // a kernel that ran too long
  case 710: // a kernel's assert
    return true;
  default:
    return result >= 714 && result <= 719; // other faults of a kernel
  }
}

std::string errorName(int32_t code, bool driver) {
  const char *name = nullptr;
  if (driver) {
    switch (code) {
#define CUDA_ERROR_NAME(value, text)                                                               \
  case value:                                                                                      \
    name = text;                                                                                   \
    break;
#include "cuda/errors/DriverErrors.def"
    }
  } else {
    switch (code) {
#define CUDA_ERROR_NAME(value, text)                                                               \
  case value:                                                                                      \
    name = text;                                                                                   \
    break;
#include "cuda/errors/RuntimeErrors.def"
    }
  }
  return name ? name : "error " + std::to_string(code);
}

} // namespace gpuinstr
