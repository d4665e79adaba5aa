// The one lock of the attached part: of its tables alone, never held across a call of anybody's.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_LOCK_H
#define GPUINSTR_ATTACH_SOURCE_LOCK_H

#include <mutex>

namespace gpuinstr::attach {

/// Held across fork, so that a child never finds it taken.
std::mutex &tablesMutex();

using TablesLock = std::lock_guard<std::mutex>;

} // namespace gpuinstr::attach

#endif
