// Which kind of device work an operation is, and how its kernel is shaped.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_KINDS_H
#define GPUINSTR_TIME_KINDS_H

#include "time/Bias.h"
#include "time/LaunchConfig.h"
#include "time/TimeStore.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
RowKey rowKeyOf(const TimeApi &api, const core::Operation &operation);
WorkClass classOf(const RowKey &key);

/// Registers, shared memory and theoretical occupancy of a kernel that was launched with success,
/// as far as they can be had. Not on the hot path: some microseconds.
LaunchShape shapeOf(const TimeApi &api, const LaunchRequest &request, bool isDriverCall);

} // namespace gpuinstr::timing

#endif
