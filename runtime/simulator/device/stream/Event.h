// Events: recording, waiting, timing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

CUresult createEvent(CUcontext Context, unsigned Flags, CUevent *Out);
CUresult destroyEvent(CUevent Event);
CUresult recordEvent(CUcontext Context, CUevent Event, CUstream Stream, unsigned Flags);
CUresult queryEvent(CUevent Event);
CUresult synchronizeEvent(CUevent Event);
CUresult waitEvent(CUcontext Context, CUstream Stream, CUevent Event, unsigned Flags);
/// Milliseconds between two completed records.
CUresult elapsedTime(CUevent Start, CUevent End, float *Milliseconds);

} // namespace gpuinstr::sim
