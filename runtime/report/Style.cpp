// How a report looks on a file descriptor.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::report {

bool wantsColor(int fd) {
  const char *noColor = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (noColor && *noColor)
    return false;
  return ::isatty(fd) == 1 && terminal && std::strcmp(terminal, "dumb") != 0;
}

} // namespace gpuinstr::report
