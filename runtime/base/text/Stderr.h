// What the runtime says on stderr.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_STDERR_H
#define GPUINSTR_BASE_TEXT_STDERR_H

#include <string_view>

namespace gpuinstr {

/// In one piece where the system takes it so. On ranks above 0 nothing, and nothing where
/// descriptor 2 is not the program's stderr any more (GivenStreams.h).
void writeToStderr(std::string_view text);

} // namespace gpuinstr

#endif
