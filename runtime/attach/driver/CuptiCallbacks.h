// CUPTI's callbacks around driver functions: the few functions and fields that attaching needs.
// SPDX-License-Identifier: Apache-2.0
//
// The library is loaded at run time and its headers are not needed. CUpti_CallbackData has kept its
// layout since CUDA 4.1; the tests compare it with the installed headers.
#ifndef GPUINSTR_ATTACH_DRIVER_CUPTICALLBACKS_H
#define GPUINSTR_ATTACH_DRIVER_CUPTICALLBACKS_H

#include <cstdint>
#include <string>

namespace gpuinstr::attach {

/// CUpti_CallbackData.
struct CallbackData {
  int site; ///< 0 enter, 1 exit
  const char *function;
  const void *parameters;
  const void *result; ///< at the exit
  const char *symbol;
  void *context;
  uint32_t contextId;
  uint64_t *kept; ///< one word, the same at enter and exit
  uint32_t correlation;
};

constexpr int DriverDomain = 1; ///< CUPTI_CB_DOMAIN_DRIVER_API

using Callback = void (*)(void *data, int domain, uint32_t number, const CallbackData *call);

/// Takes the process's one subscription. On failure a reason, and false: nothing was changed.
bool subscribe(Callback callback, std::string &why);
/// Callbacks around this function, or none any more. False: this CUPTI does not know it, or has not
/// been subscribed to.
bool watchCall(uint32_t number, bool on = true);

} // namespace gpuinstr::attach

#endif
