// What the rooms above do at certain moments of a call.
// SPDX-License-Identifier: Apache-2.0
#include "calls/CallHooks.h"

namespace gpuinstr {

SharedHotState HotState;
CallHooks Hooks;
std::atomic<uint64_t> TimedOperations{0};

} // namespace gpuinstr
