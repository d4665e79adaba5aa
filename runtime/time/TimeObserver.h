// What device timing must know of other calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMEOBSERVER_H
#define GPUINSTR_TIME_TIMEOBSERVER_H

namespace gpuinstr::timing {

/// Starts sampling as the options say; before the first enter.
void addTimeObserver();

} // namespace gpuinstr::timing

#endif
