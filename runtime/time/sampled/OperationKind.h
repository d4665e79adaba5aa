// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H
#define GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H

#include "cuda/CallOperands.h"
#include "time/TimeStore.h"
#include "time/sampled/EventOverhead.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
RowKey rowKeyOf(const DriverApi &api, const cuda::CallOperands &operation);
WorkClass classOf(const RowKey &key, const cuda::CallOperands &operation);

} // namespace gpuinstr::timing

#endif
