// A process forks: the child starts anew.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_FORK_H
#define GPUINSTR_PROCESS_FORK_H

namespace gpuinstr {

/// Once, at the start.
void addForkHandlers();

} // namespace gpuinstr

#endif
