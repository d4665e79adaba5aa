// Threads of the runtime's own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_BACKGROUNDTHREAD_H
#define GPUINSTR_BASE_BACKGROUNDTHREAD_H

#include <cstddef>

namespace gpuinstr {

/// Whether the caller is one of them.
bool isBackgroundThread();
/// Threads of this kind that have not ended yet.
unsigned backgroundThreads();
/// In a forked child: none of them is there.
void forgetBackgroundThreads();

/// Starts a detached thread that gets none of the program's signals. `stackBytes`: of its stack.
/// False: no thread can be started.
bool startBackground(void *(*run)(void *), std::size_t stackBytes);

} // namespace gpuinstr

#endif
