// What a merged profile says of its ranks, as text.
// SPDX-License-Identifier: Apache-2.0
#include "merge/RankReport.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::cli {

using profile::MergedFinding;
using profile::MergedSite;
using profile::Spread;

namespace {

std::string amount(double value, bool bytes) {
  return bytes ? bytesText(static_cast<uint64_t>(value)) : timeText(value);
}

std::string percent(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "+%.0f %%", value);
  return text;
}

std::string siteRow(const MergedSite &row, const profile::Site &site, uint64_t processes) {
  const Spread &time = row.host_ns;
  std::string line = padLeft(percent(time.imbalance_percent), 10);
  for (double figure : {static_cast<double>(time.min), time.avg, static_cast<double>(time.max)})
    line += padLeft(amount(figure, false), 10);
  line += padLeft(std::to_string(time.max_rank), 9);
  line += padLeft(std::to_string(row.ranks) + "/" + std::to_string(processes), 12);
  return line + "  " + padRight(printable(site.callee, 24), 24) + "  " + placeText(&site) + "\n";
}

/// Sites by the time that is lost against an even load: (max - avg).
std::string siteTable(const profile::Profile &profile, std::size_t rows) {
  SiteIndex sites(profile);
  std::vector<const MergedSite *> order;
  auto lost = [](const MergedSite &row) {
    return static_cast<double>(row.host_ns.max) - row.host_ns.avg;
  };
  for (const MergedSite &row : profile.merged.sites)
    if (lost(row) > 0)
      order.push_back(&row);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto *a, auto *b) { return lost(*a) > lost(*b); });
  if (order.empty())
    return "";
  std::string out = "IMBALANCE host time by site; (Max / Avg - 1), those that lose most first\n";
  out += padLeft("Imbalance", 10) + padLeft("Min", 10) + padLeft("Avg", 10) + padLeft("Max", 10) +
         padLeft("Max rank", 9) + padLeft("Ranks", 12) + "  " + padRight("Name", 24) + "  Where\n";
  for (std::size_t i = 0; i < order.size() && i < rows; ++i)
    if (const profile::Site *site = sites[order[i]->site])
      out += siteRow(*order[i], *site, profile.merged.processes);
  return out;
}

std::string findingTable(const profile::Profile &profile, std::size_t rows) {
  SiteIndex sites(profile);
  std::string out;
  std::size_t shown = 0;
  for (const MergedFinding &row : profile.merged.findings) {
    if (row.finding >= profile.findings.size() || shown == rows)
      continue;
    const profile::Finding &finding = profile.findings[row.finding];
    if (finding.suppressed || finding.grade == profile::Grade::Information)
      continue;
    if (!shown++)
      out = "FINDINGS by rank\n";
    std::string ranks = row.ranks == profile.merged.processes
                            ? "all " + std::to_string(row.ranks) + " ranks"
                            : (row.ranks == 1 ? "rank " : "ranks ") + shorten(row.rank_list, 40);
    profile::Finding brief = finding; // the message says much of it again
    brief.message.clear();
    out += " " + padRight(finding.pattern.text(), 14) + " " + placeText(sites.shown(finding)) +
           "  " + findingText(brief) + "  on " + ranks + "\n";
  }
  return out;
}

} // namespace

std::string spreadText(const Spread &spread, bool bytes) {
  std::string text = amount(static_cast<double>(spread.max), bytes) + " on rank " +
                     std::to_string(spread.max_rank) + ", average " + amount(spread.avg, bytes);
  return text + " (" + percent(spread.imbalance_percent) + ")";
}

std::string rankReport(const profile::Profile &profile, std::size_t rows) {
  const profile::Merged &merged = profile.merged;
  if (!merged.processes)
    return "";
  std::string out = "RANKS    " + plural(merged.processes, "process", "processes") + " on " +
                    plural(merged.hosts, "host", "hosts") + "\n";
  out += " in CUDA calls  " + spreadText(merged.host_ns, false) + "\n";
  out += " wall time      " + spreadText(merged.wall_ns, false) + "\n";
  if (merged.peak_bytes.max)
    out += " peak memory    " + spreadText(merged.peak_bytes, true) + "\n";
  return out + siteTable(profile, rows) + findingTable(profile, rows);
}

} // namespace gpuinstr::cli
