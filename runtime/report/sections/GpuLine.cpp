// What each device's time went into, and why it was idle.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::GpuShare;

namespace {

/// Percent of the wall time that an estimate leaves open: less is no news.
constexpr double LeastDoubt = 2;
/// With more left open than this, shares would say nothing.
constexpr double MostDoubt = 25;

uint64_t busyNs(const GpuShare &g) {
  return g.kernels_ns + g.h2d_ns + g.d2h_ns + g.d2d_ns + g.set_ns;
}

struct Part {
  std::string name;
  uint64_t ns;
  unsigned share = 0;
};
using PartList = std::vector<Part>;

/// Busy parts in the order of the report, then the idle ones, longest first; all add up to 1000.
struct Parts {
  PartList busy, idle;
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
  p.idle.push_back({"unknown", g.idle_unknown_ns});
  std::vector<double> values;
  for (const PartList *list : {&p.busy, &p.idle})
    for (const Part &part : *list)
      values.push_back(static_cast<double>(part.ns));
  std::vector<unsigned> shares = perMille(values);
  std::size_t next = 0;
  for (PartList *list : {&p.busy, &p.idle})
    for (Part &part : *list)
      part.share = shares[next++];
  for (const Part &part : p.idle)
    p.idleShare += part.share;
  auto none = [](const Part &part) { return part.share == 0; };
  p.busy.erase(std::remove_if(p.busy.begin() + 1, p.busy.end(), none), p.busy.end());
  p.idle.erase(std::remove_if(p.idle.begin(), p.idle.end(), none), p.idle.end());
  if (p.idle.size() == 1 && p.idle[0].name == "unknown")
    p.idle.clear(); // no cause is known
  return p;
}

/// `head` and the parts, the smallest of them as "other" where they do not fit.
std::string listed(const std::string &head, const std::string &gap, PartList parts,
                   const std::string &mark, const std::string &unit, std::size_t columns) {
  while (true) {
    std::string line = head;
    for (const Part &part : parts)
      line +=
          (&part == &parts[0] ? "" : gap) + part.name + " " + mark + percentText(part.share) + unit;
    if (parts.size() < 3 || displayWidth(line) <= columns)
      return line;
    if (parts.back().name != "other")
      parts.push_back({"other", 0});
    auto smallest =
        std::min_element(parts.begin(), parts.end() - 1,
                         [](const Part &a, const Part &b) { return a.share < b.share; });
    parts.back().share += smallest->share;
    parts.erase(smallest);
  }
}

double doubtPercent(const GpuShare &g) {
  return g.wall_ns ? 100 * static_cast<double>(g.ci_ns) / static_cast<double>(g.wall_ns) : 0;
}

/// Half of the interval, where it is worth a word: of a small share, less is.
std::string doubtText(double percent, double busyPercent) {
  char text[32] = "";
  if (percent >= LeastDoubt || (percent >= 0.1 && percent >= busyPercent / 4))
    std::snprintf(text, sizeof(text), " +-%.1f", percent);
  return text;
}

/// Recording was paused, or began anew.
bool isPartOnly(const profile::Profile &profile) {
  return profile::recordedNs(profile.process) < profile.process.wall_ns;
}

bool isUnknown(const GpuShare &g) { return g.overlapped || doubtPercent(g) > MostDoubt; }

std::string nameOf(const GpuShare &g) { return padRight("GPU " + std::to_string(g.device), 9); }

/// Why shares would say nothing, and what would.
Lines unknownLine(const View &view, const GpuShare &g) {
  auto time = [](uint64_t ns) { return timeText(static_cast<double>(ns)); };
  std::string text = "shares not known: ";
  if (!g.overlapped)
    text += "too few operations were timed to tell";
  else if (g.at_most && !isPartOnly(view.profile))
    text += "work overlapped, its times add up to " + time(g.sum_ns) + " in " + time(g.wall_ns);
  else
    text += "sampled times add up to " + time(g.sum_ns) + " in " + time(g.wall_ns);
  Lines lines = wrappedLines(view, 9, text + exactHint(view, "; gpu_time=exact tells"));
  lines[0] = headed(nameOf(g) + lines[0].text.substr(9));
  return lines;
}

Lines shareLines(const View &view, const GpuShare &g) {
  if (isUnknown(g))
    return unknownLine(view, g);
  bool sampled = g.method == profile::TimeMethod::Sampled;
  std::size_t columns = view.style.columns;
  Parts parts = partsOf(g);
  std::string line =
      listed(nameOf(g), "  ", parts.busy, std::string(g.at_most ? "<=" : "") + (sampled ? "~" : ""),
             " %", columns);
  std::string idle = (g.untimed || g.unseen ? "idle or not timed " : "idle ") +
                     std::string(g.at_most ? ">=" : "") + (sampled ? "~" : "") +
                     percentText(parts.idleShare) +
                     doubtText(doubtPercent(g), (1000 - parts.idleShare) / 10.0) + " %";
  std::string head = idle + (parts.idle.empty() ? "" : ": ");
  std::string mark = sampled ? "~" : "";
  std::string causes = listed(head, " ", parts.idle, mark, "", SIZE_MAX);
  if (sampled && !g.at_most && g.idle_unknown_ns > g.wall_ns / 100)
    causes += exactHint(view, "; gpu_time=exact tells why");
  if (displayWidth(line) + 3 + displayWidth(causes) <= columns)
    return {headed(line + " | " + causes)};
  const std::string indent(9, ' ');
  if (displayWidth(causes) + indent.size() <= columns)
    return {headed(line), {indent + causes}};
  return {headed(line), {listed(indent + head, " ", parts.idle, mark, "", columns)}};
}

/// Why busy parts are bounds only.
Lines boundLine(const View &view, const GpuShare &g) {
  if (!g.at_most || isUnknown(g))
    return {};
  std::string line = "<= and >=: work on several streams may have overlapped";
  if (isPartOnly(view.profile))
    line = "<= and >=: work may have overlapped, or gone on while nothing was recorded";
  return wrappedLines(view, 9, line + exactHint(view, "; gpu_time=exact tells"));
}

/// "copies beside kernels 1.2 ms of at most 8 ms".
Line overlapLine(const View &view, const GpuShare &g) {
  return {shorten("         copies beside kernels: " + timeText(static_cast<double>(g.overlap_ns)) +
                      " of " + timeText(static_cast<double>(g.overlap_possible_ns)) + " at most",
                  view.style.columns)};
}

} // namespace

Lines gpuLines(const View &view) {
  Lines lines;
  for (const GpuShare &g : view.profile.breakdown.gpus) {
    for (const Lines &more : {shareLines(view, g), boundLine(view, g)})
      lines.insert(lines.end(), more.begin(), more.end());
    if (view.style.verbose && g.overlap_possible_ns)
      lines.push_back(overlapLine(view, g));
  }
  return lines;
}

bool gpuShareIsKnown(const GpuShare &g) { return !isUnknown(g); }

std::string gpuBusyText(const View &view) {
  double busy = 0, wall = 0, doubt = 0;
  bool sampled = false, most = false, least = false;
  for (const GpuShare &g : view.profile.breakdown.gpus) {
    if (isUnknown(g))
      return "";
    doubt += static_cast<double>(g.ci_ns);
    busy += static_cast<double>(busyNs(g));
    wall += static_cast<double>(g.wall_ns);
    sampled |= g.method == profile::TimeMethod::Sampled;
    most |= g.at_most;
    least |= g.untimed || g.unseen;
  }
  if (wall <= 0 || (most && least))
    return "";
  double percent = 100 * busy / wall;
  if (view.profile.breakdown.gpus.size() == 1) // rounded as in its line
    percent = (1000 - partsOf(view.profile.breakdown.gpus[0]).idleShare) / 10.0;
  char text[48];
  std::snprintf(text, sizeof(text), "%s%.1f", sampled ? "~" : "", percent);
  const char *bound = most ? "<=" : least ? ">=" : "";
  return std::string("GPU busy ") + bound + text + doubtText(100 * doubt / wall, percent) + " %";
}

} // namespace gpuinstr::report
