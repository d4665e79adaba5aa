// Device times as a part of the process.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMEPART_H
#define GPUINSTR_TIME_TIMEPART_H

#include "base/Part.h"

namespace gpuinstr::timing {

Part &timePart();

} // namespace gpuinstr::timing

#endif
