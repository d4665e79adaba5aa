// spool=DIR: the profile as it was a moment before any death.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_OUTPUT_SPOOL_H
#define GPUINSTR_PROCESS_OUTPUT_SPOOL_H

#include "profile/Profile.h"
#include <cstdint>

namespace gpuinstr {

/// Whether the options want one, and name or find a folder for it.
bool wantsSpool();

/// Makes the file where there is none yet, and writes the state into it. False: there will be none.
bool writeSpool(const profile::Profile &profile, uint64_t takenNs);

/// The report was made: nobody needs it any more.
void removeSpool();

/// In a forked child: the file is the parent's.
void forgetSpool();

/// How long until the next state: of what passed since the start, states may take a quarter of
/// `budget`. `spentNs`: what the ones before took; `lastNs`: the last one alone.
uint64_t spoolPauseNs(uint64_t runNs, uint64_t spentNs, uint64_t lastNs, unsigned budgetPercent);

} // namespace gpuinstr

#endif
