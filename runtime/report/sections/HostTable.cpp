// Host time by kind of call and by site.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "profile/CallFigures.h"
#include "profile/HostShares.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::HostActivity;
using profile::Site;

namespace {

/// All of a site's calls, the first one included.
double totalNs(const Site &site) {
  return static_cast<double>(site.host.total_ns) + static_cast<double>(site.host.first_ns);
}

using profile::HostShare;

/// Moves the smallest part to the end of the list under the name "other".
void foldSmallest(std::vector<HostShare> &parts) {
  auto other = std::find_if(parts.begin(), parts.end(),
                            [](const HostShare &part) { return part.name == HostActivity::Other; });
  HostShare folded{HostActivity::Other, 0};
  if (other != parts.end()) {
    folded.ns = other->ns;
    parts.erase(other);
  }
  folded.ns += parts.back().ns;
  parts.back() = folded;
}

std::string hostText(const std::vector<HostShare> &parts, double ownCode, const std::string &head,
                     const char *gap) {
  std::vector<double> values;
  for (const HostShare &part : parts)
    values.push_back(static_cast<double>(part.ns));
  values.push_back(ownCode);
  std::vector<unsigned> shares = perMille(values);
  std::string line = head;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (shares[i])
      line += (line == head && head.back() == ' ' ? "" : gap) + parts[i].name.text() + " " +
              percentText(shares[i]) + " %";
  if (ownCode > 0)
    line += " | your code " + percentText(shares.back()) + " %";
  return line;
}

} // namespace

Lines hostLine(const View &view) {
  std::vector<HostShare> parts = profile::hostShares(view.profile);
  if (parts.empty())
    return {};
  const profile::Process &process = view.profile.process;
  double sum = 0, ownCode = 0, wall = static_cast<double>(process.wall_ns);
  if (parts.back().name == HostActivity::YourCode) {
    ownCode = static_cast<double>(parts.back().ns);
    parts.pop_back();
  }
  for (const HostShare &part : parts)
    sum += static_cast<double>(part.ns);
  std::string head = "HOST     ";
  if (ownCode <= 0)
    head += "(" + timeText(sum) + (wall > 0 ? " in calls of all threads)" : " in calls)");
  else if (uint64_t recorded = profile::recordedNs(process);
           recorded + recorded / 100 < process.wall_ns)
    head += "(of " + timeText(static_cast<double>(recorded)) + " recorded)";
  std::string text = hostText(parts, ownCode, head, "  ");
  if (displayWidth(text) > view.style.columns)
    text = hostText(parts, ownCode, head, " ");
  while (displayWidth(text) > view.style.columns && parts.size() > 2) {
    foldSmallest(parts);
    text = hostText(parts, ownCode, head, "  ");
  }
  return {headed(shorten(text, view.style.columns))};
}

std::string compactTime(double ns) {
  std::string text = timeText(ns);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

namespace {

std::string figureColumns(const profile::CallFigures &f, unsigned share, bool all) {
  std::string line = padLeft(percentText(share), 9);
  line += padLeft((f.estimated ? "~" : "") + timeText(static_cast<double>(f.total_ns)), 11) +
          padLeft((f.callsEstimated ? "~" : "") + std::to_string(f.calls), 10);
  std::vector<double> figures{f.mean_ns, static_cast<double>(f.median_ns)};
  if (all)
    figures.insert(figures.end(), {static_cast<double>(f.min_ns), static_cast<double>(f.max_ns)});
  for (double figure : figures)
    line += padLeft(compactTime(figure), 7);
  if (!all)
    return line;
  return line + padLeft(f.timed > 1 ? compactTime(f.stddev_ns) : "-", 7);
}

/// Whether `a` stands before `b`.
bool before(const Site &a, const Site &b, SortBy sort) {
  switch (sort) {
  case SortBy::Calls:
    return a.calls > b.calls;
  case SortBy::Average:
    return totalNs(a) * static_cast<double>(b.calls) > totalNs(b) * static_cast<double>(a.calls);
  case SortBy::Bytes:
    return a.bytes > b.bytes;
  case SortBy::Name:
    return a.callee < b.callee;
  case SortBy::Time:
    break;
  }
  return totalNs(a) > totalNs(b);
}

} // namespace

Lines callTable(const View &view) {
  std::vector<const Site *> sites = profile::timedSites(view.profile);
  if (sites.empty())
    return {};
  std::stable_sort(sites.begin(), sites.end(),
                   [&](const Site *a, const Site *b) { return before(*a, *b, view.style.sort); });
  bool estimates = false;
  std::vector<profile::CallFigures> figures;
  std::size_t nameWidth = 4, placeWidth = 5;
  for (const Site *site : sites) {
    figures.push_back(profile::callFigures(*site));
    estimates |= figures.back().estimated || figures.back().callsEstimated;
    nameWidth = std::max(nameWidth, displayWidth(printable(site->callee)));
    placeWidth = std::max(placeWidth, displayWidth(view.place(site)));
  }
  std::vector<unsigned> shares = profile::timeShares(figures);
  Lines lines;
  lines.push_back(headed("API      host time; each site's first call counts in Total Time and Num "
                         "Calls only" +
                         std::string(estimates ? "; ~ estimate" : "")));
  std::string names = padLeft("Time (%)", 9) + padLeft("Total Time", 11) + padLeft("Num Calls", 10);
  // All five leave no room for names on a line of 100 columns.
  bool all = view.style.verbose;
  std::vector<const char *> heads{"Avg", "Med"};
  if (all)
    heads.insert(heads.end(), {"Min", "Max", "StdDev"});
  for (const char *name : heads)
    names += padLeft(name, 7);
  std::size_t left = view.style.columns - std::min<std::size_t>(view.style.columns, names.size());
  std::vector<std::size_t> widths = fitWidths({nameWidth, placeWidth}, left - 2);
  lines.push_back({names + "  " + padRight("Name", widths[0]) + "  Where"});
  for (std::size_t i = 0; i < sites.size(); ++i)
    lines.push_back({figureColumns(figures[i], shares[i], all) + "  " +
                     padRight(shortenName(printable(sites[i]->callee), widths[0]), widths[0]) +
                     "  " + view.shortened(view.place(sites[i]), widths[1])});
  return lines;
}

} // namespace gpuinstr::report
