// What a merged profile says of its ranks, as text.
// SPDX-License-Identifier: Apache-2.0
#include "merge/RankReport.h"
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

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
  return line + "  " + padRight(shortenName(printable(site.callee), 24), 24) + "  " +
         placeText(&site) + "\n";
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
  if (order.size() > rows)
    out += " ... " + std::to_string(order.size() - rows) + " more (--top)\n";
  return out;
}

std::string ranksOf(const MergedFinding &row, uint64_t processes) {
  if (row.ranks == processes)
    return "all " + std::to_string(row.ranks) + " ranks";
  return (row.ranks == 1 ? "rank " : "ranks ") + shorten(row.rank_list, 40);
}

/// What counts or may count, by grade; advice and what is suppressed are left out.
std::vector<const MergedFinding *> findingsByGrade(const profile::Profile &profile) {
  std::vector<const MergedFinding *> rows;
  for (const MergedFinding &row : profile.merged.findings) {
    if (row.finding >= profile.findings.size())
      continue;
    const profile::Finding &finding = profile.findings[row.finding];
    if (!finding.suppressed &&
        (finding.grade == profile::Grade::Proven || finding.grade == profile::Grade::Likely))
      rows.push_back(&row);
  }
  auto order = [&](const MergedFinding *row) {
    const profile::Finding &finding = profile.findings[row->finding];
    return std::make_tuple(finding.grade.value(), finding.pattern.value(), ~finding.bytes);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](auto *a, auto *b) { return order(a) < order(b); });
  return rows;
}

std::string findingTable(const profile::Profile &profile, std::size_t rows) {
  SiteIndex sites(profile);
  std::vector<const MergedFinding *> all = findingsByGrade(profile);
  if (all.empty())
    return "";
  std::size_t width = 0;
  for (std::size_t i = 0; i < all.size() && i < rows; ++i)
    width = std::max(width, displayWidth(kindText(profile.findings[all[i]->finding])));
  std::string out = "FINDINGS by rank\n";
  for (std::size_t i = 0; i < all.size() && i < rows; ++i) {
    const profile::Finding &finding = profile.findings[all[i]->finding];
    profile::Finding brief = finding; // the message says much of it again
    brief.message.clear();
    out += " " + padRight(kindText(finding), width) + "  " + placeText(sites.shown(finding)) +
           "  " + findingText(brief) + "  on " + ranksOf(*all[i], profile.merged.processes) + "\n";
  }
  if (all.size() > rows)
    out += " ... " + std::to_string(all.size() - rows) + " more (--top)\n";
  return out;
}

/// "slow:    rank 3 (+66 %, at main.cpp:12 cudaStreamSynchronize)": where most is lost against an
/// even load. "" nobody is.
std::string slowLine(const profile::Profile &profile) {
  constexpr double LeastImbalance = 10, LeastShare = 0.01; // per cent; of the wall time
  SiteIndex sites(profile);
  const MergedSite *worst = nullptr;
  auto lost = [](const MergedSite &row) {
    return static_cast<double>(row.host_ns.max) - row.host_ns.avg;
  };
  for (const MergedSite &row : profile.merged.sites)
    if (sites[row.site] && (!worst || lost(row) > lost(*worst)))
      worst = &row;
  if (!worst || worst->host_ns.imbalance_percent < LeastImbalance ||
      lost(*worst) < LeastShare * profile.merged.wall_ns.avg)
    return "";
  const profile::Site *site = sites[worst->site];
  return " slow:   rank " + std::to_string(worst->host_ns.max_rank) + " (" +
         percent(worst->host_ns.imbalance_percent) + ", at " + placeText(site) + " " +
         shortenName(printable(site->callee), 30) + ")\n";
}

/// "leaks:   rank 5, main.cpp:7 d_lost", the largest first.
std::string leakLines(const profile::Profile &profile) {
  constexpr std::size_t MostLeaks = 3;
  SiteIndex sites(profile);
  std::string out;
  std::size_t shown = 0, all = 0;
  for (const MergedFinding *row : findingsByGrade(profile)) {
    const profile::Finding &finding = profile.findings[row->finding];
    if (finding.pattern != profile::Pattern::Leak || finding.grade != profile::Grade::Proven ||
        ++all > MostLeaks)
      continue;
    ++shown;
    out += std::string(shown == 1 ? " leaks:  " : "         ") +
           ranksOf(*row, profile.merged.processes) + ", " + placeText(sites.shown(finding)) +
           (finding.variable.empty() ? "" : " " + printable(finding.variable, 30)) + " " +
           bytesText(finding.bytes) + "\n";
  }
  if (all > shown)
    out += "         ... " + std::to_string(all - shown) + " more\n";
  return out;
}

} // namespace

std::string spreadText(const Spread &spread, bool bytes) {
  std::string text = amount(static_cast<double>(spread.max), bytes) + " on rank " +
                     std::to_string(spread.max_rank) + ", average " + amount(spread.avg, bytes);
  return text + " (" + percent(spread.imbalance_percent) + ")";
}

std::string rankHead(const profile::Profile &profile) {
  const profile::Merged &merged = profile.merged;
  if (!merged.processes)
    return "";
  return "RANKS    " + plural(merged.processes, "process", "processes") + " on " +
         plural(merged.hosts, "host", "hosts") + "\n" + slowLine(profile) + leakLines(profile);
}

std::string rankReport(const profile::Profile &profile, std::size_t rows) {
  const profile::Merged &merged = profile.merged;
  if (!merged.processes)
    return "";
  std::string out = "SPREAD   over the ranks\n";
  out += " in CUDA calls  " + spreadText(merged.host_ns, false) + "\n";
  out += " wall time      " + spreadText(merged.wall_ns, false) + "\n";
  if (merged.peak_bytes.max)
    out += " peak memory    " + spreadText(merged.peak_bytes, true) + "\n";
  return out + siteTable(profile, rows) + findingTable(profile, rows);
}

} // namespace gpuinstr::cli
