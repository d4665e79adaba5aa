// Why the device was idle, as a sentence with places.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "profile/DeviceRows.h"
#include "report/Sections.h"
#include <algorithm>
#include <cstdio>

namespace gpuinstr::report {

using profile::GpuShare;
using profile::IdleGap;
using profile::Site;

namespace {

struct Cause {
  std::string text; ///< with its place
  uint64_t ns;
};

/// Below this part of the run nobody would gain anything by knowing.
constexpr double LeastPercent = 1;
constexpr std::size_t MostCauses = 3;

std::string percent(double ns, double wall) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * ns / wall);
  return text;
}

/// "between train.cu:71 and :80", "between train.cu:71 and buffer.h:9".
std::string between(const View &view, const Site *from, const Site *to) {
  std::string first = view.place(from), second = view.place(to);
  if (first == second)
    return "between calls at " + first;
  if (from && to && from->file == to->file && to->line)
    second = ":" + std::to_string(to->line);
  return "between " + first + " and " + second;
}

/// Calls of one line may have sites of their own: one cause, where they read alike.
void addCause(std::vector<Cause> &causes, const std::string &text, uint64_t ns) {
  for (Cause &cause : causes)
    if (cause.text == text) {
      cause.ns += ns;
      return;
    }
  causes.push_back({text, ns});
}

/// Your code between two lines, allocations at a line.
void addGaps(const View &view, std::vector<Cause> &causes) {
  for (const IdleGap &gap : view.profile.breakdown.idle) {
    const Site *from = view.site(gap.from), *to = view.site(gap.to);
    if (!from || !to)
      continue;
    if (gap.cause == profile::IdleCause::Allocation)
      addCause(causes, printable(from->callee) + " at " + view.place(from), gap.ns);
    else if (from == to)
      addCause(causes, "your code before " + view.place(to) + " comes again", gap.ns);
    else
      addCause(causes, "your code " + between(view, from, to), gap.ns);
  }
}

/// What the shares of the device say by themselves: with exact times all of it.
void addShares(const View &view, const GpuShare &gpu, bool gaps, std::vector<Cause> &causes) {
  const profile::Profile &profile = view.profile;
  auto slowest = [&](auto wanted) -> const Site * {
    const Site *most = nullptr;
    for (const Site &site : profile.sites)
      if (wanted(site) && (!most || site.host.total_ns > most->host.total_ns))
        most = &site;
    return most;
  };
  if (gpu.idle_startup_ns)
    causes.push_back({"CUDA's start", gpu.idle_startup_ns});
  if (gpu.idle_copies_ns)
    if (const Site *site = slowest(profile::blocksHost)) {
      const char *what = profile::isAsyncByName(*site)
                             ? "copies of pageable memory, which block, most at "
                             : "blocking copies, most at ";
      causes.push_back({what + view.place(site), gpu.idle_copies_ns});
    }
  if (gpu.idle_launch_ns)
    causes.push_back({"the host issues work slower than the GPU does it", gpu.idle_launch_ns});
  if (gpu.idle_sync_ns)
    if (const Site *site = slowest([](const Site &s) { return s.kind == profile::SiteKind::Sync; }))
      causes.push_back({"waiting, most at " + view.place(site), gpu.idle_sync_ns});
  if (gaps)
    return; // they tell where
  if (gpu.idle_host_ns)
    causes.push_back({"your code", gpu.idle_host_ns});
  if (gpu.idle_allocation_ns)
    causes.push_back({"allocations", gpu.idle_allocation_ns});
}

/// The run's own start where no share of the device is known.
void addStart(const View &view, std::vector<Cause> &causes) {
  const profile::Process &process = view.profile.process;
  if (process.startup.context_ns)
    causes.push_back({"CUDA's start", process.startup.context_ns});
}

} // namespace

Lines idleLines(const View &view) {
  const profile::Breakdown &breakdown = view.profile.breakdown;
  double wall = static_cast<double>(profile::recordedNs(view.profile.process));
  if (breakdown.gpus.size() > 1 || wall <= 0 || view.profile.merged.processes)
    return {};
  std::vector<Cause> causes;
  addGaps(view, causes);
  bool known = !breakdown.gpus.empty() && gpuShareIsKnown(breakdown.gpus[0]);
  if (known)
    addShares(view, breakdown.gpus[0], !causes.empty(), causes);
  else if (!causes.empty())
    addStart(view, causes);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause &a, const Cause &b) { return a.ns > b.ns; });
  double sum = 0;
  std::string text;
  std::size_t named = 0;
  for (const Cause &cause : causes) {
    double ns = static_cast<double>(cause.ns);
    sum += ns;
    if (100 * ns / wall < LeastPercent || named >= MostCauses)
      continue;
    text += (named++ ? "; " : "") + percent(ns, wall) + " " + cause.text;
  }
  if (!named)
    return {};
  // The parts are bounds, unless every moment was timed.
  bool exact = known && breakdown.gpus[0].method == profile::TimeMethod::Exact;
  std::string head =
      exact ? "" : "at least " + percent(std::min(sum, wall), wall) + " of the run: ";
  Lines lines = wrappedLines(view, 9, head + text);
  lines[0] = headed("IDLE     " + lines[0].text.substr(9));
  return lines;
}

} // namespace gpuinstr::report
