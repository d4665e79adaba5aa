// The environment, as far as it may be trusted.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/Environment.h"
#include <cstdlib>
#include <sys/auxv.h>

namespace gpuinstr {

bool environmentIsTrusted() { return getauxval(AT_SECURE) == 0; }

const char *trustedVariable(const char *name) {
  return environmentIsTrusted() ? std::getenv(name) : nullptr;
}

} // namespace gpuinstr
