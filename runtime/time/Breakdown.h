// Where the wall time went, for the profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_BREAKDOWN_H
#define GPUINSTR_TIME_BREAKDOWN_H

#include "findings/Findings.h"
#include "profile/Profile.h"

namespace gpuinstr::timing {

/// Needs the profile's sites, devices, process and coverage. Exact where there are exact times;
/// else from sampled totals. `leftOut`: device operations of sites that the profile does not show.
void fillBreakdown(profile::Profile &profile, uint64_t leftOut);

/// Copies and kernels that took turns, again and again, though they could have overlapped: how long
/// that was at most, 0 when it is not worth a word.
/// `turns`: TimelineTotals.
uint64_t serialisedNs(const profile::GpuShare &share, uint64_t turns);

/// Advice that needs exact times.
std::vector<FindingRecord> timingFindings();

} // namespace gpuinstr::timing

#endif
