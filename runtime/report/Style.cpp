// How a report looks on a file descriptor.
// SPDX-License-Identifier: Apache-2.0
#include "options/Options.h"
#include "report/TextReport.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::report {

static bool wantsColor(int fd) {
  const char *noColor = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (noColor && *noColor)
    return false;
  return ::isatty(fd) == 1 && terminal && std::strcmp(terminal, "dumb") != 0;
}

ReportStyle detectStyle(int fd, const options::Options &options) {
  ReportStyle style;
  style.color = options.color == options::ColorMode::Always ||
                (options.color == options::ColorMode::Auto && wantsColor(fd));
  style.verbose = options.verbose;
  style.top = options.report_top;
  style.jsonPattern = options.json;
  if (options.report != "stderr" && options.report != "off")
    style.reportPattern = options.report;
  return style;
}

} // namespace gpuinstr::report
