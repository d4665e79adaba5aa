// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H
#define GPUINSTR_TIME_SAMPLED_OPERATIONKIND_H

#include "calls/threads/Thread.h"
#include "cuda/operands/CallOperands.h"
#include "time/sampled/pairs/EventOverhead.h"
#include "time/sampled/totals/TimeStore.h"

namespace gpuinstr::timing {

/// The row of a copy, set or graph launch. Asks the driver what kind of memory the host's side is.
OperationKind kindOf(const DriverApi &api, const cuda::CallOperands &operation);
WorkClass classOf(const OperationKind &key, const cuda::CallOperands &operation);

/// The copy that a thread has issued right before an operation that begins now; none: its last one
/// is so long ago that a launch may stand between.
LastCopy copyBefore(const LastCopy &last, uint64_t nowTicks);
/// A copy that may still be what an operation that begins now stands behind.
bool isRecent(const LastCopy &copy, uint64_t nowTicks);
/// Kernels, and sets, which are kernels of the driver's; copies within the device are not always.
bool runsOnKernelsEngine(const cuda::CallOperands &operation);
/// What stands before an operation in its stream is taken to be what its thread issued last.
EngineChange engineChange(const OperationKind &key, WorkClass work, const LastCopy &behind);

} // namespace gpuinstr::timing

#endif
