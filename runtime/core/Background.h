// Threads of the runtime's own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CORE_BACKGROUND_H
#define GPUINSTR_CORE_BACKGROUND_H

#include <cstddef>

namespace gpuinstr::core {

/// Starts a detached thread that gets none of the program's signals. `stackBytes`: of its stack.
/// False: no thread can be started.
bool startBackground(void *(*run)(void *), std::size_t stackBytes);

} // namespace gpuinstr::core

#endif
