// Events: recording, waiting, timing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

CUresult createEvent(CUcontext context, unsigned flags, CUevent *out);
CUresult destroyEvent(CUevent event);
CUresult recordEvent(CUcontext context, CUevent event, CUstream stream, unsigned flags);
CUresult queryEvent(CUevent event);
CUresult synchronizeEvent(CUevent event);
CUresult waitEvent(CUcontext context, CUstream stream, CUevent event, unsigned flags);
/// Milliseconds between two completed records.
CUresult elapsedTime(CUevent start, CUevent end, float *milliseconds);

} // namespace gpuinstr::sim
