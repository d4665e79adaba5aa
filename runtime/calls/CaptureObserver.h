// Tells the capture tracker of the captures that instrumented calls begin and end.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CAPTUREOBSERVER_H
#define GPUINSTR_CALLS_CAPTUREOBSERVER_H

namespace gpuinstr {

/// Before the first enter, by whoever will ask cuda::Captures; once is enough, more do no harm.
void watchCaptures();

} // namespace gpuinstr

#endif
