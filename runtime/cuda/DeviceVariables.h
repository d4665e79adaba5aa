// Variables of device code whose place the program asked the driver for.
// SPDX-License-Identifier: Apache-2.0
//
// No call allocates them: they come with their module, and go with it.
#ifndef GPUINSTR_CUDA_DEVICEVARIABLES_H
#define GPUINSTR_CUDA_DEVICEVARIABLES_H

#include "cuda/operands/CallOperands.h"

namespace gpuinstr::cuda {

struct DeviceVariable {
  uint64_t address = 0; ///< 0: none
  uint64_t bytes = 0;   ///< 0: the program did not ask
  uint64_t owner = 0;   ///< its module or library
};

/// What a call that went well has said: cuModuleGetGlobal, cuLibraryGetGlobal and the like. Which
/// of them `callee` is called counts where it was not asked for the size: then the driver is.
DeviceVariable variableAsked(const CallOperands &operands, const char *callee);

/// All that is known. They never overlap: where one comes to lie, others are gone.
void addVariable(uint64_t address, uint64_t bytes);
void dropVariable(uint64_t address);
void forgetVariables();
void lockVariables(); ///< around a fork
void unlockVariables();
/// Whether these bytes lie in one of them. Without a lock where there is none.
bool isInVariable(uint64_t address, uint64_t bytes);

} // namespace gpuinstr::cuda

#endif
