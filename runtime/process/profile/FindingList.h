// From finding records to the profile's findings.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_FINDINGLIST_H
#define GPUINSTR_PROCESS_PROFILE_FINDINGLIST_H

#include "calls/sites/ListedSites.h"
#include "findings/Findings.h"
#include "profile/Profile.h"

namespace gpuinstr {

/// Leaves out those of hidden sites.
void addFindings(std::vector<profile::Finding> &to, std::vector<FindingRecord> &records,
                 ProfileScope &scope);

/// Once the sites' calls are known: what was met in some of them, as though in all; and which
/// allocations are only some of their line's.
void estimateCounts(profile::Profile &profile);

/// Once the sites' device times are known: copies and sets that were for nothing took at least as
/// long as the device was busy with them: an asynchronous call returns long before that. Nothing
/// takes longer than the process lived.
void addDeviceTimes(profile::Profile &profile);

} // namespace gpuinstr

#endif
