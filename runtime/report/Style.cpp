// How a report looks: what the options want, and what a file descriptor can show.
// SPDX-License-Identifier: Apache-2.0
#include "report/Style.h"
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

ReportStyle styleOf(const options::Options &options, int fd) {
  ReportStyle style;
  style.color = options.color == options::ColorMode::Always ||
                (options.color == options::ColorMode::Auto && wantsColor(fd));
  style.verbose = options.verbose;
  style.top = options.report_top;
  return style;
}

} // namespace gpuinstr::report
