// The one list of the runtime's parts, and what the process does with all of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PARTS_H
#define GPUINSTR_PROCESS_PARTS_H

#include "base/Part.h"
#include <functional>

namespace gpuinstr {

/// In the order in which they start, and in which the profile has what they say.
void eachPart(const std::function<void(Part &)> &visit);

/// Around fork: takes all locks in their one order, and gives them back the other way round.
void lockParts();
void unlockParts();

} // namespace gpuinstr

#endif
