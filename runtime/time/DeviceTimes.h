// Device times of the process: exact where that was asked for and is possible, else sampled.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_DEVICETIMES_H
#define GPUINSTR_TIME_DEVICETIMES_H

#include "time/common/DeviceTimer.h"

namespace gpuinstr::timing {

/// At the first CUDA call of the process: with gpu_time=exact, exact times or else sampled ones,
/// and then one line says why. Sampling that was asked for starts in addTimeObserver().
void startDeviceTimes();
/// While CUDA is alive: reads what the device has finished.
void collectTimes();
/// For good, while CUDA is alive.
void stopTimes();

/// Adds the times of one site descriptor.
void addDeviceTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known);
/// What CUPTI says of one-time costs, and of its own: on top of the process's own cost.
void addExactCosts(profile::Process &process);
std::vector<FindingRecord> timingFindings();
/// What was left out, for coverage.notes.
std::vector<std::string> timingNotes();

void lockTimes();
void unlockTimes();
/// In a forked child: nothing was timed, and the parent's events are not ours.
void forgetTimes();
void clearTimes();

} // namespace gpuinstr::timing

#endif
