// Time on the device: kernels, and copies and sets.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "profile/DeviceRows.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::DeviceOperation;
using profile::DeviceRow;
using profile::Site;

namespace {

using Row = profile::DeviceRowAt;

bool isExact(const Row &row) { return row.site->device.method == profile::TimeMethod::Exact; }
bool isEstimate(const DeviceRow &row) { return row.samples < row.operations; }

/// "~582 ms" where not all operations were timed.
std::string figure(const DeviceRow &row, double ns) {
  return (isEstimate(row) ? "~" : "") + timeText(ns);
}

/// "~214" where the samples alone say how many were of this kind.
std::string countText(const DeviceRow &row) {
  return (row.operations_estimated ? "~" : "") + std::to_string(row.operations);
}

double average(uint64_t sum, const DeviceRow &row) {
  return row.operations ? static_cast<double>(sum) / static_cast<double>(row.operations) : 0;
}

bool isGraph(const Row &row) { return row.device->operation == DeviceOperation::Graph; }

std::string kernelName(const Row &row) {
  if (!row.device->name.empty())
    return printable(row.device->name);
  return isGraph(row) ? "CUDA graph" : printable(row.site->callee);
}

/// "[CUDA memcpy Host-to-Device] pinned" as nsys has it, or "H2D pinned".
std::string transferName(const DeviceRow &row, bool brief) {
  auto briefName = [&]() -> const char * {
    switch (row.operation.value()) {
    case DeviceOperation::HostToDevice:
      return "H2D";
    case DeviceOperation::DeviceToHost:
      return "D2H";
    case DeviceOperation::DeviceToDevice:
      return "D2D";
    case DeviceOperation::HostToHost:
      return "H2H";
    case DeviceOperation::Set:
      return "memset";
    case DeviceOperation::Copy:
      return "memcpy";
    default:
      return nullptr;
    }
  };
  const char *known = brief ? briefName() : nullptr;
  return (known ? known : printable(row.operation.text())) +
         (row.memory.empty() ? "" : " " + printable(row.memory.text()));
}

std::string bandwidth(const DeviceRow &row) {
  if (!row.total_ns || !row.bytes)
    return "-";
  double rate = static_cast<double>(row.bytes) / static_cast<double>(row.total_ns);
  char text[32];
  std::snprintf(text, sizeof(text), rate < 1 ? "%.2f" : rate < 999.5 ? "%.3g" : "%.0f", rate);
  return rate < 0.01 ? "<0.01" : text;
}

enum class Layout { Sampled, Exact, Transfers, ExactTransfers };
constexpr std::size_t CountWidth[] = {11, 10, 11, 8};

/// nsys's five columns are for times of every operation. On a line of 100 columns transfers have no
/// room for them beside sizes and long names: with verbose they stand in place of both.
Layout layoutFor(const std::vector<Row> &rows, bool transfers, bool verbose) {
  bool exact = std::all_of(rows.begin(), rows.end(), isExact);
  if (transfers)
    return exact && verbose ? Layout::ExactTransfers : Layout::Transfers;
  return exact ? Layout::Exact : Layout::Sampled;
}

std::string headOf(Layout layout) {
  bool transfers = layout == Layout::Transfers || layout == Layout::ExactTransfers;
  std::string head = padLeft("Time (%)", 9) + padLeft("Total Time", 11) +
                     padLeft(transfers ? "Count" : "Instances", CountWidth[int(layout)]);
  if (layout == Layout::Sampled)
    return head + padLeft("Avg", 10);
  if (layout == Layout::Transfers)
    return head + padLeft("Avg size", 10) + padLeft("GB/s", 7);
  for (const char *name : {"Avg", "Med", "Min", "Max", "StdDev"})
    head += padLeft(name, 7);
  return head + (transfers ? padLeft("GB/s", 7) : "");
}

std::string figures(const Row &row, unsigned share, Layout layout) {
  const DeviceRow &d = *row.device;
  std::string line = padLeft(percentText(share), 9) +
                     padLeft(figure(d, static_cast<double>(d.total_ns)), 11) +
                     padLeft(countText(d), CountWidth[int(layout)]);
  if (layout == Layout::Sampled)
    return line + padLeft(figure(d, average(d.total_ns, d)), 10);
  if (layout == Layout::Transfers)
    return line + padLeft(bytesText(static_cast<uint64_t>(average(d.bytes, d))), 10) +
           padLeft(bandwidth(d), 7);
  for (double ns : {average(d.total_ns, d), static_cast<double>(d.median_ns),
                    static_cast<double>(d.min_ns), static_cast<double>(d.max_ns)})
    line += padLeft(compactTime(ns), 7);
  line += padLeft(d.operations > 1 ? compactTime(d.stddev_ns) : "-", 7);
  return line + (layout == Layout::ExactTransfers ? padLeft(bandwidth(d), 7) : "");
}

/// What the marks mean: how many were timed, and the interval of all marked totals. What a pair
/// leaves open is the same everywhere: intervals add up.
Lines noteOf(const std::vector<Row> &rows, const std::string &untimed) {
  uint64_t samples = 0, operations = 0;
  double total = 0, interval = 0, staged = 0;
  for (const Row &row : rows) {
    const DeviceRow &d = *row.device;
    if (!isEstimate(d))
      continue;
    if (d.memory == profile::HostSide::Pageable)
      staged += static_cast<double>(d.ci_ns);
    samples += d.samples;
    operations += d.operations;
    total += static_cast<double>(d.total_ns);
    interval += static_cast<double>(d.ci_ns);
  }
  if (!operations)
    return {};
  // Between the events of such a copy the host fills or empties the driver's buffers.
  bool isHosts = 2 * staged > interval;
  std::string share = isHosts ? "total not known" : "too few to tell the total";
  if (interval < total) {
    char text[48];
    std::snprintf(text, sizeof text, "total +-%.1f %% (95 %%)", 100 * interval / total);
    share = text;
  }
  if (isHosts)
    share += ": the host's share in pageable copies";
  return {{" ~ from " + std::to_string(samples) + " of " + std::to_string(operations) +
           " operations, " + share + (untimed.empty() ? "" : "; not timed: " + untimed)}};
}

/// " graph exec: captured at solve.cu:20, solve.cu:22"; of the graphs that took longest.
void addGraphLines(const View &view, const std::vector<Row> &rows, Lines &lines) {
  constexpr unsigned MostGraphs = 3;
  unsigned named = 0;
  for (const Row &row : rows) {
    std::vector<std::string> places;
    for (const std::string &id : row.site->device.captured_from)
      if (std::string place = view.place(view.site(id));
          std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(std::move(place));
    if (!isGraph(row) || places.empty() || (named >= MostGraphs && !view.style.verbose))
      continue;
    ++named;
    std::string prefix = " " + shorten(kernelName(row), view.style.columns / 2) + ": captured at ";
    for (Line &line : listLines(view.style, prefix, places))
      lines.push_back(std::move(line));
  }
}

Lines withUntimed(const View &view, Lines lines, bool transfers) {
  for (Line &line : untimedNote(view, transfers))
    lines.push_back(std::move(line));
  return lines;
}

Lines table(const View &view, bool transfers) {
  std::vector<Row> rows = profile::deviceRows(view.profile, transfers);
  if (rows.empty())
    return {};
  Layout layout = layoutFor(rows, transfers, view.style.verbose);
  std::vector<std::string> names;
  std::size_t nameWidth = transfers ? 9 : 4, placeWidth = 5;
  for (const Row &row : rows) {
    names.push_back(transfers ? transferName(*row.device, layout == Layout::ExactTransfers)
                              : kernelName(row));
    nameWidth = std::max(nameWidth, displayWidth(names.back()));
    placeWidth = std::max(placeWidth, displayWidth(view.place(row.site)));
  }
  std::string head = headOf(layout);
  std::size_t left = view.style.columns - std::min<std::size_t>(view.style.columns, head.size());
  // Names of transfers are nsys's, or shorter ones where these do not fit.
  if (transfers && nameWidth + 4 + placeWidth > left) {
    nameWidth = 9;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      names[i] = transferName(*rows[i].device, true);
      nameWidth = std::max(nameWidth, displayWidth(names[i]));
    }
  }
  std::vector<std::size_t> widths = fitWidths({nameWidth, placeWidth}, left < 3 ? 1 : left - 2);
  std::vector<unsigned> shares = profile::timeShares(rows);
  Lines lines{headed(transfers ? "TRANSFERS  device time" : "KERNELS  device time"),
              {head + "  " + padRight(transfers ? "Operation" : "Name", widths[0]) + "  Where"}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines.push_back({figures(rows[i], shares[i], layout) + "  " +
                     padRight(shortenName(names[i], widths[0]), widths[0]) + "  " +
                     view.shortened(view.place(rows[i].site), widths[1])});
  return lines;
}

} // namespace

Lines kernelTable(const View &view) { return table(view, false); }
Lines transferTable(const View &view) { return table(view, true); }

Lines kernelNote(const View &view) {
  std::vector<Row> rows = profile::deviceRows(view.profile, false);
  Lines lines = noteOf(rows, untimedKernels(view));
  constexpr const char *More = "; gpu_time=exact adds Med, Min, Max, StdDev";
  if (!lines.empty() && displayWidth(lines[0].text + More) <= view.style.columns)
    lines[0].text += exactHint(view, More);
  if (std::any_of(rows.begin(), rows.end(), isGraph))
    lines.push_back(
        {" a graph is timed whole, copies included; gpu_time=exact charges its nodes to "
         "their lines"});
  addGraphLines(view, rows, lines);
  return withUntimed(view, std::move(lines), false);
}

Lines transferNote(const View &view) {
  return withUntimed(view, noteOf(profile::deviceRows(view.profile, true), ""), true);
}

} // namespace gpuinstr::report
