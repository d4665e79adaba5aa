// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_DEVICEWORKKIND_H
#define GPUINSTR_TIME_DEVICEWORKKIND_H

#include "cuda/LaunchConfig.h"
#include "time/TimeStore.h"
#include "time/sampled/EventOverhead.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
RowKey rowKeyOf(const DriverApi &api, const Operation &operation);
/// As the call spells it, without asking the driver; Unknown where the pointers decide.
Direction spelledDirection(const Operation &operation);
WorkClass classOf(const RowKey &key, const Operation &operation);

} // namespace gpuinstr::timing

#endif
