// What the runtime itself cost the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_OWNCOST_H
#define GPUINSTR_PROCESS_PROFILE_OWNCOST_H

#include <cstdint>

namespace gpuinstr {

/// Measures an enter+leave pair here and now, and adds what the observers took. Of the wall time,
/// or of the time of all threads that made CUDA calls, from each one's first on, where that is
/// more.
double ownCostPercent(uint64_t calls, double nsPerTick, uint64_t wallNs);

} // namespace gpuinstr

#endif
