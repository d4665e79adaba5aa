// Whose state this is: of the process that started the runtime, or of a child that shares it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_PROCESSSTATE_H
#define GPUINSTR_BASE_PROCESSSTATE_H

#include <cstdint>

namespace gpuinstr {

/// This process owns the runtime's state from now on; it began at `startNs` of the monotonic clock.
void ownProcess(uint64_t startNs);
/// False in a child that shares memory with its parent, and in one made behind fork's back.
bool isOwnProcess();
uint64_t processStartNs();

/// Off for good: option enabled=0. Threads then get no state, and enter returns at once.
void disable(bool off = true);
bool isDisabled();

} // namespace gpuinstr

#endif
