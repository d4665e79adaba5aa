// What the runtime itself cost the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_OWNCOST_H
#define GPUINSTR_PROCESS_PROFILE_OWNCOST_H

#include "profile/Profile.h"
#include <cstdint>

namespace gpuinstr {

/// Measures an enter+leave pair here and now, and adds what the observers took: the share of the
/// wall time, or of the time of all threads that made CUDA calls, from each one's first on, where
/// that is more; and what it went into.
void fillOwnCost(profile::Process &process, uint64_t calls, double nsPerTick);

} // namespace gpuinstr

#endif
