// What each device's time went into, and why it was idle; what its kernels' launches look like.
// SPDX-License-Identifier: Apache-2.0
#include "report/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::DeviceRow;
using profile::GpuShare;
using profile::Site;

namespace {

uint64_t busyNs(const GpuShare &g) {
  return g.kernels_ns + g.h2d_ns + g.d2h_ns + g.d2d_ns + g.set_ns;
}

struct Part {
  const char *name;
  uint64_t ns;
  unsigned share = 0;
};

/// Busy parts in the order of the report, then the idle ones, longest first; all add up to 1000.
struct Parts {
  std::vector<Part> busy, idle;
  unsigned idleShare = 0;
};

Parts partsOf(const GpuShare &g) {
  Parts p;
  p.busy = {{"kernels", g.kernels_ns},
            {"H2D", g.h2d_ns},
            {"D2H", g.d2h_ns},
            {"D2D", g.d2d_ns},
            {"sets", g.set_ns}};
  p.idle = {{"start-up", g.idle_startup_ns}, {"host", g.idle_host_ns},
            {"sync", g.idle_sync_ns},        {"allocation", g.idle_allocation_ns},
            {"copies", g.idle_copies_ns},    {"launch", g.idle_launch_ns}};
  std::stable_sort(p.idle.begin(), p.idle.end(),
                   [](const Part &a, const Part &b) { return a.ns > b.ns; });
  std::vector<double> values;
  for (const Part &part : p.busy)
    values.push_back(static_cast<double>(part.ns));
  for (const Part &part : p.idle)
    values.push_back(static_cast<double>(part.ns));
  std::vector<unsigned> shares = perMille(values);
  for (std::size_t i = 0; i < p.busy.size(); ++i)
    p.busy[i].share = shares[i];
  for (std::size_t i = 0; i < p.idle.size(); ++i) {
    p.idle[i].share = shares[p.busy.size() + i];
    p.idleShare += p.idle[i].share;
  }
  return p;
}

Line gpuLine(const View &view, const GpuShare &g) {
  bool sampled = g.method == "sampled";
  const char *mark = sampled ? " ~" : " ";
  Parts parts = partsOf(g);
  std::string line = "GPU " + std::to_string(g.device) + " %";
  for (const Part &part : parts.busy)
    if (part.share || part.ns == g.kernels_ns)
      line += "  " + (part.name + (mark + percentText(part.share)));
  line += " | idle" + (mark + percentText(parts.idleShare));
  std::string why;
  for (const Part &part : parts.idle)
    if (part.share && !sampled)
      why += std::string(why.empty() ? ": " : " ") + part.name + " " + percentText(part.share);
  return headed(shorten(line + why, view.style.columns));
}

/// "copies beside kernels 1.2 ms of at most 8 ms".
Line overlapLine(const View &view, const GpuShare &g) {
  return {shorten("         copies beside kernels: " + timeText(static_cast<double>(g.overlap_ns)) +
                      " of " + timeText(static_cast<double>(g.overlap_possible_ns)) + " at most",
                  view.style.columns)};
}

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

Lines gpuLines(const View &view) {
  Lines lines;
  for (const GpuShare &g : view.profile.breakdown.gpus) {
    lines.push_back(gpuLine(view, g));
    if (view.style.verbose && g.overlap_possible_ns)
      lines.push_back(overlapLine(view, g));
  }
  return lines;
}

std::string gpuBusyText(const View &view) {
  double busy = 0, wall = 0;
  bool sampled = false;
  for (const GpuShare &g : view.profile.breakdown.gpus) {
    busy += static_cast<double>(busyNs(g));
    wall += static_cast<double>(g.wall_ns);
    sampled |= g.method == "sampled";
  }
  if (wall <= 0)
    return "";
  char text[48];
  std::snprintf(text, sizeof(text), "GPU busy %s%.1f %%", sampled ? "~" : "", 100 * busy / wall);
  return text;
}

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
                     padRight(shorten(printable(row.first->name), widths[0]), widths[0]) + "  " +
                     shorten(view.place(row.second), widths[1])});
  return lines;
}

} // namespace gpuinstr::report
