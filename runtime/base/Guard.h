// Keeps the runtime's own failures away from the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_GUARD_H
#define GPUINSTR_BASE_GUARD_H

namespace gpuinstr {

/// Runs work that may allocate. Out of memory costs what the work would have noted, not the
/// program: its frames cannot pass an exception on.
template <class Work> void guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
  }
}

} // namespace gpuinstr

#endif
