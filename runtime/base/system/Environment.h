// The environment, as far as it may be trusted.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_ENVIRONMENT_H
#define GPUINSTR_BASE_SYSTEM_ENVIRONMENT_H

namespace gpuinstr {

/// Whoever starts a set-uid program, or one with capabilities, chooses its environment and is not
/// its user: nothing there may name a file that is loaded, read or written.
bool environmentIsTrusted();

/// nullptr: not set, or not to be trusted.
const char *trustedVariable(const char *name);

} // namespace gpuinstr

#endif
