// From exact device times to the profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_EXACTPROFILE_H
#define GPUINSTR_TIME_EXACT_EXACTPROFILE_H

#include "time/common/DeviceTimer.h"

namespace gpuinstr::timing {

/// Adds the times of one site descriptor. False: exact times were never on.
bool addExactTime(profile::DeviceTime &to, SiteIndex site);
/// The share of each device's time, into profile.breakdown.
void fillExactShares(profile::Profile &profile, uint64_t endNs);
/// What CUPTI says of one-time costs, and of its own: on top of the process's own cost. Nothing
/// when exact times are not on.
void addCuptiCosts(profile::Process &process);

/// Copies and kernels that took turns, again and again, though they could have overlapped: how long
/// that was at most, 0 when it is not worth a word.
/// `turns`: TimelineTotals.
uint64_t serialisedNs(const profile::GpuShare &share, uint64_t turns);
/// The device on which copies and kernels lost most by taking turns, at the line whose copies ran
/// longest.
std::vector<FindingRecord> serialisedWork(uint64_t endNs);

} // namespace gpuinstr::timing

#endif
