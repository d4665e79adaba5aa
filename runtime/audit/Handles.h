// What is made and ended again without an address of its own: arrays, streams, executable graphs,
// handles and plans of vendor libraries. Of interest is how often.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HANDLES_H
#define GPUINSTR_AUDIT_HANDLES_H

#include "calls/Observer.h"

namespace gpuinstr::audit {

/// In the leave of the call that made it, and of the one that ended it.
void noteHandleMade(const Call &call, uint64_t handle, uint64_t ticks);
void noteHandleGone(const Call &call, uint64_t ticks);
/// Of a call of CREATE or DESTROY, or of a library: if that makes or ends what is dear to make.
void noteHandles(const Call &call, uint64_t ticks);

} // namespace gpuinstr::audit

#endif
