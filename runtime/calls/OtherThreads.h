// The threads that run beside this one.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_OTHERTHREADS_H
#define GPUINSTR_CALLS_OTHERTHREADS_H

#include <cstdint>
#include <vector>

namespace gpuinstr {

/// The thread pointers of those that made calls, but for the runtime's own: variables of a thread
/// lie below its. Any of them may end at once.
std::vector<uintptr_t> otherThreadPointers();

} // namespace gpuinstr

#endif
