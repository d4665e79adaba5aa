// Memory by allocation site, over the whole run.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::Allocations;

Lines allocationTable(const View &view) {
  const std::vector<Allocations> &rows = view.profile.allocations;
  if (rows.empty())
    return {};
  bool several = view.profile.devices.size() > 1;
  auto kindOf = [&](const Allocations &row) {
    std::string kind = printable(row.memory.text());
    return several && row.device >= 0 ? kind + " " + std::to_string(row.device) : kind;
  };
  auto placeOf = [&](const Allocations &row) {
    return view.place(view.shown(row.site, row.caller, row.variable));
  };
  std::size_t kindWidth = 4, nameWidth = 4, placeWidth = 5;
  for (const Allocations &row : rows) {
    kindWidth = std::max(kindWidth, displayWidth(kindOf(row)));
    nameWidth = std::max(nameWidth, displayWidth(printable(row.variable)));
    placeWidth = std::max(placeWidth, displayWidth(placeOf(row)));
  }
  std::string head = padLeft("Total", 9) + padLeft("Count", 9) + padLeft("Avg", 9) +
                     padLeft("Peak", 9) + padLeft("At exit", 9);
  std::size_t left = view.style.columns - std::min<std::size_t>(view.style.columns, head.size());
  std::vector<std::size_t> widths =
      fitWidths({kindWidth, nameWidth, placeWidth}, left < 3 ? 1 : left - 2);
  auto texts = [&](const std::string &kind, const std::string &name, const std::string &place) {
    return "  " + padRight(shorten(kind, widths[0]), widths[0]) + "  " +
           padRight(shorten(name, widths[1]), widths[1]) + "  " + view.shortened(place, widths[2]);
  };
  Lines lines{{head + texts("Kind", "Name", "Where")}};
  for (const Allocations &row : rows) {
    std::string line = padLeft(bytesText(row.bytes), 9) + padLeft(std::to_string(row.count), 9) +
                       padLeft(bytesText(row.count ? row.bytes / row.count : 0), 9) +
                       padLeft(bytesText(row.peak_bytes), 9) +
                       padLeft(row.live_bytes ? bytesText(row.live_bytes) : "0", 9);
    lines.push_back({line + texts(kindOf(row), printable(row.variable), placeOf(row))});
  }
  return lines;
}

} // namespace gpuinstr::report
