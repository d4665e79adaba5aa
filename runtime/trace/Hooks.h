// What the program is connected to in place of enter and leave while it is traced.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TRACE_HOOKS_H
#define GPUINSTR_TRACE_HOOKS_H

#include "gpuinstr/abi.h"

namespace gpuinstr::trace {

// Entries of gpuinstr_table, around the core's own.
void enter(gpuinstr_frame *frame);
void leave(gpuinstr_frame *frame, int64_t result);
void enterLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner);
void leaveLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result);
/// Beside what the core does.
void pushRange(const char *name);
void popRange();

} // namespace gpuinstr::trace

#endif
