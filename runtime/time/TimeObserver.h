// What device timing must know of other calls: contexts that go, calls that wait, forks.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMEOBSERVER_H
#define GPUINSTR_TIME_TIMEOBSERVER_H

namespace gpuinstr::timing {

/// Starts sampling as the options say; before the first enter.
void addTimeObserver();
/// From now on pairs are also read after calls that wait: there is a context that no thread may
/// have current at the end.
void readAfterWaits();
/// In a forked child: nothing was timed, and the parent's events are not ours.
void forgetTimes();

} // namespace gpuinstr::timing

#endif
