// The hot path: what instrumented code calls around every CUDA call.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_ENTRY_H
#define GPUINSTR_CALLS_ENTRY_H

#include "gpuinstr/abi.h"

namespace gpuinstr {

// Entries of gpuinstr_table, documented there.
void enter(gpuinstr_frame *frame);
void leave(gpuinstr_frame *frame, int64_t result);
void enterLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner);
void leaveLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result);
void count(const gpuinstr_site *site);
int mayEnter();
int callBegins();

/// Whether this thread is in a handler of a signal that came within a call or the runtime's own
/// work: it may hold locks of CUDA's or of ours, and never give them back.
bool isInCall();

} // namespace gpuinstr

#endif
