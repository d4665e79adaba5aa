// The lines of a report as one text.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include "report/Layout.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::Profile;

namespace {

const char *escapeCode(Paint paint) {
  switch (paint) {
  case Paint::Bold:
    return "\033[1m";
  case Paint::Red:
    return "\033[1;31m";
  case Paint::Yellow:
    return "\033[1;33m";
  case Paint::Green:
    return "\033[1;32m";
  case Paint::Plain:
    break;
  }
  return "";
}

} // namespace

std::string render(const Profile &profile, const ReportStyle &style) {
  if (!profile.cuda_used)
    return "";
  ReportStyle usable = style;
  usable.columns = std::max(style.columns, 60u);
  View view(profile, usable);
  std::string out;
  for (Line &line : layOut(view)) {
    line.text.erase(line.text.find_last_not_of(' ') + 1);
    line.painted = std::min(line.painted, line.text.size());
    if (style.color && line.painted)
      out += escapeCode(line.paint) + line.text.substr(0, line.painted) + "\033[0m" +
             line.text.substr(line.painted);
    else
      out += line.text;
    out += '\n';
  }
  return out;
}

} // namespace gpuinstr::report
