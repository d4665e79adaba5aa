// What a program asks the driver about, for round trips through a library's pinned memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_TRANSFERS_DELIVERIES_H
#define GPUINSTR_AUDIT_TRANSFERS_DELIVERIES_H

#include <cstdint>

namespace gpuinstr {

struct ThreadState;

namespace audit {

/// The program asks what memory the address lies in: where its next download shall end, maybe, or
/// what it is about to upload. Not in a call that is looked at.
void noteAsked(ThreadState &thread, uint64_t address);

} // namespace audit
} // namespace gpuinstr

#endif
