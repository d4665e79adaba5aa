// Where the wall time went, for the profile.
// SPDX-License-Identifier: Apache-2.0
#include "time/Breakdown.h"
#include "core/Clock.h"
#include "profile/HostShares.h"
#include "time/Exact.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

/// Fewer rounds are no loop, and less time or a smaller share of it is not worth rewriting code.
constexpr uint64_t LeastTurns = 8, LeastNs = 10000000;
constexpr double LeastShare = 0.05, MostOverlap = 0.2;

uint64_t *partFor(profile::GpuShare &share, const std::string &operation) {
  if (operation == "kernel" || operation == "graph")
    return &share.kernels_ns;
  if (operation == "[CUDA memset]")
    return &share.set_ns;
  if (operation == "[CUDA memcpy Host-to-Device]")
    return &share.h2d_ns;
  if (operation == "[CUDA memcpy Device-to-Host]")
    return &share.d2h_ns;
  if (operation == "[CUDA memcpy Device-to-Device]")
    return &share.d2d_ns;
  return nullptr;
}

} // namespace

bool sampledShare(const profile::Profile &profile, profile::GpuShare &share) {
  if (profile.devices.size() != 1)
    return false;
  share.device = profile.devices[0].ordinal;
  share.method = "sampled";
  share.wall_ns = profile.process.wall_ns;
  for (const profile::Site &site : profile.sites)
    for (const profile::DeviceRow &row : site.device.rows)
      if (uint64_t *part =
              site.device.method == "sampled" ? partFor(share, row.operation) : nullptr)
        *part += row.total_ns;
  uint64_t busy = share.kernels_ns + share.h2d_ns + share.d2h_ns + share.d2d_ns + share.set_ns;
  if (busy == 0 || busy > share.wall_ns)
    return false; // more than the wall time has: they ran side by side
  share.idle_host_ns = share.wall_ns - busy;
  return true;
}

uint64_t serialisedNs(const profile::GpuShare &share, uint64_t turns) {
  uint64_t possible = share.overlap_possible_ns, achieved = share.overlap_ns;
  if (turns < LeastTurns || double(achieved) > MostOverlap * double(possible))
    return 0;
  uint64_t lost = possible - achieved;
  return lost < LeastNs || double(lost) < LeastShare * double(share.wall_ns) ? 0 : lost;
}

std::vector<core::FindingRecord> timingFindings() {
  core::SiteIndex site = 0;
  uint64_t turns = 0, ns = 0;
  if (!findSerialised(core::monotonicNs(), site, turns, ns))
    return {};
  core::FindingRecord record;
  record.key.pattern = core::Pattern::Serialised;
  record.key.grade = core::Grade::Advice;
  record.key.site = site;
  record.count = turns;
  record.ticks = uint64_t(double(ns) / core::nsPerTick());
  return {record};
}

void fillBreakdown(profile::Profile &profile) {
  profile.breakdown.host = profile::hostShares(profile);
  fillGpuBreakdown(profile, core::monotonicNs());
  profile::GpuShare share;
  if (profile.breakdown.gpus.empty() && sampledShare(profile, share))
    profile.breakdown.gpus.push_back(share);
}

} // namespace gpuinstr::timing
