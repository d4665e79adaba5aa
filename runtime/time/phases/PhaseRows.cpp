// The program's ranges, with what their calls took on the device.
// SPDX-License-Identifier: Apache-2.0
#include "time/phases/PhaseRows.h"
#include "base/Clock.h"
#include "calls/threads/Phases.h"
#include "time/idle/IdleGaps.h"
#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace gpuinstr::timing {

namespace {

using SitesById = std::unordered_map<std::string_view, const profile::Site *>;

/// Time on the device of one call of the site, on average.
double meanDeviceNs(const profile::Site &site) {
  return site.calls ? double(site.device.total_ns) / double(site.calls) : 0;
}

profile::Phase rowOf(const std::string &name, const PhaseTotals &totals, const SitesById &byId,
                     ListedSites &sites) {
  double ns = nsPerTick();
  profile::Phase row;
  row.name = name;
  row.instances = totals.instances;
  row.total_ns = uint64_t(double(totals.ticks) * ns);
  row.looked_at = totals.looked;
  double scale = totals.lookedTicks ? double(totals.ticks) / double(totals.lookedTicks) : 0;
  row.calls_ns = std::min(row.total_ns, uint64_t(double(totals.callTicks) * scale * ns));
  double device = 0;
  for (auto [site, calls] : totals.callsOf) {
    if (isHiddenSite(site))
      continue;
    auto found = byId.find(sites.idOf(site));
    if (found != byId.end())
      device += double(calls) * meanDeviceNs(*found->second);
  }
  row.device_ns = uint64_t(device * scale);
  return row;
}

} // namespace

void fillPhases(profile::Profile &profile, ListedSites &sites) {
  SitesById byId;
  bool timed = false;
  for (const profile::Site &site : profile.sites) {
    byId[site.id] = &site;
    timed |= site.device.samples != 0;
  }
  IdleKnown known = idleKnown(profile);
  for (const auto &[name, totals] : endedPhases()) {
    profile::Phase row = rowOf(name, totals, byId, sites);
    row.device_known = timed;
    row.idle_known = known != IdleKnown::No;
    uint64_t idle = totals.idleTicks[0] + (known == IdleKnown::All ? totals.idleTicks[1] : 0);
    if (row.idle_known)
      row.idle_ns = std::min(row.total_ns, uint64_t(double(idle) * nsPerTick()));
    profile.phases.push_back(std::move(row));
  }
  std::stable_sort(profile.phases.begin(), profile.phases.end(),
                   [](auto &a, auto &b) { return a.total_ns > b.total_ns; });
}

} // namespace gpuinstr::timing
