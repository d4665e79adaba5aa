// When the device had surely nothing to do, and between which lines: from the return of a call that
// waits for all its work to the next call that may give it some.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_IDLE_IDLEGAPS_H
#define GPUINSTR_TIME_IDLE_IDLEGAPS_H

#include "calls/sites/ListedSites.h"
#include "profile/Profile.h"

namespace gpuinstr::timing {

/// Before the first enter.
void addIdleObserver();

/// Which gaps hold: with work on several streams only those behind a wait for the whole device.
enum class IdleKnown { No, BehindDeviceWaits, All };
IdleKnown idleKnown(const profile::Profile &profile);

/// Fills profile.breakdown.idle, where the process has one device and its calls came from one
/// thread: elsewhere nobody knows what the others gave the device meanwhile.
void fillIdleGaps(profile::Profile &profile, ListedSites &sites);

void lockIdleGaps();
void unlockIdleGaps();
void clearIdleGaps();

} // namespace gpuinstr::timing

#endif
