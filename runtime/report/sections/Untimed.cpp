// Device work of which no time is known, and what would tell it.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "profile/DeviceRows.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

using profile::Site;
using profile::SiteKind;

namespace {

uint64_t untimed(const Site &site) { return site.device.untimed; }
uint64_t inNoPart(const Site &site) { return site.device.untimed + profile::copiesInNoPart(site); }
using Count = uint64_t (*)(const Site &);

std::string countText(const Site &site, uint64_t n) {
  std::string estimated = site.device.no_work ? "~" : "";
  if (site.kind == SiteKind::Launch)
    return estimated + plural(n, "launch", "launches");
  if (site.kind == SiteKind::Copy)
    return estimated + plural(n, "copy", "copies");
  if (site.kind == SiteKind::Set)
    return estimated + plural(n, "set", "sets");
  return plural(n, "library call", "library calls");
}

/// "200 launches at pdl.cu:14", most calls first.
std::vector<std::string> untimedPlaces(const View &view, Count count, bool launches,
                                       bool transfers) {
  std::vector<const Site *> sites;
  for (const Site &site : view.profile.sites) {
    bool transfer = site.kind == SiteKind::Copy || site.kind == SiteKind::Set;
    if (count(site) && (transfer ? transfers : launches))
      sites.push_back(&site);
  }
  std::stable_sort(sites.begin(), sites.end(),
                   [count](const Site *a, const Site *b) { return count(*a) > count(*b); });
  std::vector<std::string> places;
  for (const Site *site : sites)
    places.push_back(countText(*site, count(*site)) + " at " + view.place(site));
  return places;
}

} // namespace

std::string exactHint(const View &view, const char *text) {
  const profile::Profile &profile = view.profile;
  bool simulated = std::any_of(profile.devices.begin(), profile.devices.end(),
                               [](const profile::Device &device) { return device.simulated; });
  bool refused =
      std::any_of(profile.coverage.notes.begin(), profile.coverage.notes.end(),
                  [](const std::string &note) { return note.rfind("gpu_time=exact:", 0) == 0; });
  return simulated || refused ? "" : text;
}

Lines untimedLines(const View &view) {
  std::vector<std::string> places = untimedPlaces(view, inNoPart, true, true);
  uint64_t known = 0, all = 0;
  for (const Site &site : view.profile.sites)
    known += site.device.untimed;
  // Each device has those that may be its own, and its own copies without a part.
  for (const profile::GpuShare &gpu : view.profile.breakdown.gpus) {
    uint64_t own = 0;
    for (const Site &site : view.profile.sites)
      own += profile::copiesInNoPart(site, gpu.device);
    all = std::max(all, gpu.untimed - std::min(gpu.untimed, own));
  }
  if (all > known)
    places.push_back(std::to_string(all - known) + " elsewhere");
  return places.empty() ? Lines() : listLines(view.style, "         not timed: ", places);
}

std::string untimedKernels(const View &view) {
  std::size_t untimed = 0;
  bool more = false;
  for (const Site &site : view.profile.sites) {
    if (site.device.method != profile::TimeMethod::Sampled)
      continue;
    for (const std::string &kernel : site.kernels) {
      bool others = kernel == profile::OtherKernels;
      bool known = std::any_of(site.device.rows.begin(), site.device.rows.end(),
                               [&](const profile::DeviceRow &row) { return row.name == kernel; });
      more |= others;
      untimed += !known && !others;
    }
  }
  return untimed ? plural(untimed, "kernel", "kernels") + (more ? " or more" : "") : "";
}

Lines untimedNote(const View &view, bool transfers) {
  std::vector<std::string> places = untimedPlaces(view, untimed, !transfers, transfers);
  return places.empty() ? Lines() : listLines(view.style, " not timed, in no share: ", places);
}

} // namespace gpuinstr::report
