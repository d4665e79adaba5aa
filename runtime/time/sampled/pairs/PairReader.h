// Reads event pairs after calls that wait for the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_PAIRS_PAIRREADER_H
#define GPUINSTR_TIME_SAMPLED_PAIRS_PAIRREADER_H

namespace gpuinstr::timing {

/// Before the first enter; reads nothing yet.
void addPairReader();
/// From now on pairs are also read after calls that wait: there is a context that no thread may
/// have current at the end.
void readAfterWaits();

} // namespace gpuinstr::timing

#endif
