// Makes one enter and one leave of the two that stand around a kernel's launch.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LATE_MERGEDLAUNCHES_H
#define GPUINSTR_PLUGIN_IR_LATE_MERGEDLAUNCHES_H

#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Where nothing of the program's stands between the two, gpuinstr_table's enter_launch and
/// leave_launch open and close the user's frame and the stub's at once. True: something was
/// changed. Behind all passes that inline; functions that are not optimised stay as they are.
bool mergeLaunches(llvm::Module &M);

} // namespace gpuinstr

#endif
