// Tells the capture tracker of the captures that instrumented calls begin and end.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CAPTUREOBSERVER_H
#define GPUINSTR_CALLS_CAPTUREOBSERVER_H

namespace gpuinstr {

/// Before the first enter, by whoever will ask cuda::Captures; once is enough, more do no harm.
/// Observers that are added later find in ThreadState::capture which capture began, after a begin
/// that went well, or is about to end: the driver is asked once for all of them.
void watchCaptures();

} // namespace gpuinstr

#endif
