// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H
#define GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H

#include "cuda/operands/CallOperands.h"
#include "time/sampled/EventOverhead.h"
#include "time/sampled/totals/TimeStore.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
OperationKind kindOf(const DriverApi &api, const cuda::CallOperands &operation);
WorkClass classOf(const OperationKind &key, const cuda::CallOperands &operation);

} // namespace gpuinstr::timing

#endif
