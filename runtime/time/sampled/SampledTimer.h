// Device times from samples: event pairs around some of the operations.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_SAMPLEDTIMER_H
#define GPUINSTR_TIME_SAMPLED_SAMPLEDTIMER_H

#include "time/common/DeviceTimer.h"

namespace gpuinstr::timing {

DeviceTimer &sampledTimer();

} // namespace gpuinstr::timing

#endif
