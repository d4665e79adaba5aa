// Finds synchronisations behind which the host does nothing that could need them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_QUIETWAITS_H
#define GPUINSTR_PLUGIN_IR_QUIETWAITS_H

#include "ir/analysis/ModuleView.h"

namespace gpuinstr {

/// True when a way leads from the call to a kernel launch on which the program makes no other call
/// of CUDA's but to ask for errors, and none of code that might read a clock, tell another thread,
/// or cannot be seen. What the host loads on that way is not looked at: the runtime knows whether
/// there is memory that both sides share.
bool leadsQuietlyToLaunch(const llvm::CallBase &Sync, ModuleView &View);

} // namespace gpuinstr

#endif
