// Operands of the calls in progress, decoded when somebody first asks.
// SPDX-License-Identifier: Apache-2.0
//
// They hold from then on until the thread enters another call at the same depth, so whoever looks
// at a call before, during or just after it shares one decoding. The fast launch path neither reads
// nor clears them; what leaves it, or looks at a call that took it, clears first.
#ifndef GPUINSTR_CALLS_THREADS_DECODEDOPERANDS_H
#define GPUINSTR_CALLS_THREADS_DECODEDOPERANDS_H

#include "calls/threads/Thread.h"

namespace gpuinstr {

/// Of a call that this thread is in, or that it has just left.
const cuda::CallOperands &operandsOf(ThreadState &thread, const gpuinstr_frame &frame);

/// What was decoded at this depth was another call's.
inline void forgetOperandsAt(ThreadState &thread, uint32_t depth) {
  thread.decoded &= ~(uint64_t(1) << depth);
}

} // namespace gpuinstr

#endif
