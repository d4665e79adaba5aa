// Where a launch's time goes, and how its kernel uses the device.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::DeviceRow;
using profile::Site;

namespace {

std::string dimensions(const std::vector<uint32_t> &d) {
  std::string text;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (i == 0 || d[i] > 1 || (i + 1 < d.size() && d[i + 1] > 1))
      text += (i ? "x" : "") + std::to_string(d[i]);
  return text;
}

std::string launchFigures(const DeviceRow &d) {
  auto average = [&](uint64_t sum) {
    return compactTime(static_cast<double>(sum) / static_cast<double>(d.operations));
  };
  std::string line = padLeft(average(d.span_ns), 8) + padLeft(average(d.api_ns), 7) +
                     padLeft(average(d.queue_ns), 7) + padLeft(average(d.total_ns), 7);
  char occupancy[32];
  std::snprintf(occupancy, sizeof(occupancy), "%.0f", d.occupancy_percent);
  line += padLeft(dimensions(d.grid) + (d.shapes_differ ? "*" : ""), 13) +
          padLeft(dimensions(d.block), 9) +
          padLeft(std::to_string(d.static_shared + d.dynamic_shared), 8) +
          padLeft(std::to_string(d.registers), 6);
  return line + padLeft(d.occupancy_percent > 0 ? occupancy : "-", 6);
}

} // namespace

Lines launchTable(const View &view) {
  std::vector<std::pair<const DeviceRow *, const Site *>> rows;
  for (const Site &site : view.profile.sites)
    for (const DeviceRow &row : site.device.rows)
      if (!row.grid.empty() && row.operations)
        rows.push_back({&row, &site});
  if (rows.empty())
    return {};
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return a.first->total_ns > b.first->total_ns;
  });
  std::string head = padLeft("Total", 8) + padLeft("API", 7) + padLeft("Queue", 7) +
                     padLeft("Kernel", 7) + padLeft("Grid", 13) + padLeft("Block", 9) +
                     padLeft("Shared", 8) + padLeft("Regs", 6) + padLeft("Occ %", 6);
  std::size_t nameWidth = 4, placeWidth = 5;
  for (const auto &row : rows) {
    nameWidth = std::max(nameWidth, displayWidth(printable(row.first->name)));
    placeWidth = std::max(placeWidth, displayWidth(view.place(row.second)));
  }
  std::size_t left = view.style.columns - std::min<std::size_t>(view.style.columns, head.size());
  std::vector<std::size_t> widths = fitWidths({nameWidth, placeWidth}, left < 3 ? 1 : left - 2);
  Lines lines{
      headed("LAUNCHES  averages from the call to the kernel's end; the first launch's shape, "
             "* others differ"),
      {head + "  " + padRight("Name", widths[0]) + "  Where"}};
  for (const auto &row : rows)
    lines.push_back({launchFigures(*row.first) + "  " +
                     padRight(shortenName(printable(row.first->name), widths[0]), widths[0]) +
                     "  " + view.shortened(view.place(row.second), widths[1])});
  return lines;
}

} // namespace gpuinstr::report
