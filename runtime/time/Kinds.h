// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_KINDS_H
#define GPUINSTR_TIME_KINDS_H

#include "time/Bias.h"
#include "time/LaunchConfig.h"
#include "time/TimeStore.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
RowKey rowKeyOf(const core::DriverApi &api, const core::Operation &operation);
/// As the call spells it, without asking the driver; Unknown where the pointers decide.
Direction spelledDirection(const core::Operation &operation);
WorkClass classOf(const RowKey &key, const core::Operation &operation);

} // namespace gpuinstr::timing

#endif
