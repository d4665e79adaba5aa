// The program's own ranges: what the host and the device did in each.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::Phase;

namespace {

/// "38.1 %" of the phase's time; more than all where work goes on after the range.
std::string shareText(const Phase &phase, uint64_t ns, const char *mark) {
  if (!phase.total_ns)
    return "-";
  double tenths = 1000 * static_cast<double>(ns) / static_cast<double>(phase.total_ns);
  return mark + percentText(static_cast<unsigned>(tenths + 0.5)) + " %";
}

bool isSampled(const profile::Profile &profile) {
  return std::any_of(profile.sites.begin(), profile.sites.end(), [](const profile::Site &site) {
    return site.device.method == profile::TimeMethod::Sampled;
  });
}

} // namespace

Lines phaseTable(const View &view) {
  const std::vector<Phase> &phases = view.profile.phases;
  if (phases.empty())
    return {};
  uint64_t wall = profile::recordedNs(view.profile.process);
  bool sampled = isSampled(view.profile);
  Lines lines;
  lines.push_back(
      headed("PHASES   ranges of the program; inner ones count for the outer ones, too; "
             "per cent of their time"));
  std::string head = padLeft("Time (%)", 9) + padLeft("Total Time", 11) + padLeft("Instances", 10) +
                     padLeft("Avg", 8) + padLeft("Your code", 10) + padLeft("CUDA calls", 11) +
                     padLeft("GPU work", 10) + padLeft("GPU idle", 10) + "  ";
  lines.push_back({head + "Range"});
  std::size_t left = view.style.columns - std::min<std::size_t>(view.style.columns, head.size());
  for (const Phase &phase : phases) {
    double tenths =
        wall ? 1000 * static_cast<double>(phase.total_ns) / static_cast<double>(wall) : 0;
    double average =
        phase.instances ? static_cast<double>(phase.total_ns) / static_cast<double>(phase.instances)
                        : 0;
    const char *host = phase.looked_at < phase.instances ? "~" : "";
    const char *device = sampled || phase.looked_at < phase.instances ? "~" : "";
    uint64_t calls = std::min(phase.calls_ns, phase.total_ns);
    std::string line =
        padLeft(percentText(static_cast<unsigned>(tenths + 0.5)), 9) +
        padLeft(timeText(static_cast<double>(phase.total_ns)), 11) +
        padLeft(std::to_string(phase.instances), 10) + padLeft(compactTime(average), 8) +
        padLeft(shareText(phase, phase.total_ns - calls, host), 10) +
        padLeft(shareText(phase, calls, host), 11) +
        padLeft(phase.device_known ? shareText(phase, phase.device_ns, device) : "-", 10) +
        padLeft(phase.idle_known ? shareText(phase, phase.idle_ns, ">=") : "-", 10);
    lines.push_back({line + "  " + shorten(printable(phase.name), left)});
  }
  return lines;
}

} // namespace gpuinstr::report
