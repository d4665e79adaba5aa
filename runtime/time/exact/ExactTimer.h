// Exact device times: CUPTI's records joined to the calls that asked for them.
// SPDX-License-Identifier: Apache-2.0
//
// Started before the program's first CUDA call, since CUPTI's first start can stall. Should CUPTI
// be missing, refuse or belong to another tool, device times are sampled instead, and one line says
// so. Flushing is done by threads of the program outside of any lock, and never after CUDA is gone.
#ifndef GPUINSTR_TIME_EXACT_EXACTTIMER_H
#define GPUINSTR_TIME_EXACT_EXACTTIMER_H

#include "calls/threads/Recording.h"
#include "calls/threads/Thread.h"
#include "profile/Profile.h"
#include <atomic>
#include <string>
#include <vector>

namespace gpuinstr::timing {

/// Bit i: operation i is noted. 0 unless exact times are on.
extern std::atomic<uint64_t> ExactOperations;

/// At the first CUDA call of the process: with gpu_time=exact, exact times or else sampled ones.
void startExact();
/// Before the first enter: captures are watched.
void addExactObserver();
bool exactIsOn();

/// In enter of a call of these operations: notes it in the thread's log.
void beginExact(ThreadState &thread, const gpuinstr_frame &frame);
/// In leave of the call that thread.exact.frame names.
void endExact(ThreadState &thread, bool failed);
/// The host was busy with CUDA's own start; no matter whether exact times are on.
void addStartUpTime(uint64_t startTicks, uint64_t endTicks);
/// A time that was not recorded has ended; no matter whether exact times are on.
void addPause(const Pause &pause);
/// A thread ends: its log lives until its records have come.
void endExactThread(ThreadState &thread);

/// While CUDA is alive: reads what the device has finished.
void collectExact();
/// For good, likewise.
void stopExact();

/// Adds the times of one site descriptor. False: none, or exact times are not on.
bool addExactTime(profile::DeviceTime &to, SiteIndex site);
/// The share of each device's time, into profile.breakdown.
void fillGpuBreakdown(profile::Profile &profile, uint64_t endNs);
/// What CUPTI says of one-time costs, and of its own: on top of the process's own cost. Nothing
/// when exact times are not on.
void addExactCosts(profile::Process &process);
std::vector<std::string> exactNotes();
/// Of the device on which copies and kernels lost most by taking turns: how often they did, how
/// long that was, and the line whose copies ran longest. False: nowhere.
bool findSerialised(uint64_t endNs, SiteIndex &site, uint64_t &turns, uint64_t &ns);

void clearExact();
void forgetExact();
void lockExact();
void unlockExact();

} // namespace gpuinstr::timing

#endif
