// What the rooms above do at certain moments of a call.
// SPDX-License-Identifier: Apache-2.0
#include "calls/CallHooks.h"
#include "base/HotCode.h"

namespace gpuinstr {

GPUINSTR_HOT_DATA SharedHotState HotState;
GPUINSTR_HOT_DATA CallHooks Hooks;
GPUINSTR_HOT_DATA std::atomic<uint64_t> TimedOperations{0};

} // namespace gpuinstr
