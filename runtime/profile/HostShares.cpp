// What the host's time went into, from the sites of a profile.
// SPDX-License-Identifier: Apache-2.0
#include "profile/HostShares.h"
#include <algorithm>

namespace gpuinstr::profile {

namespace {

/// The heading that a kind of site counts under.
HostActivity activityOf(SiteKind kind) {
  switch (kind) {
  case SiteKind::Sync:
    return HostActivity::Sync;
  case SiteKind::Copy:
  case SiteKind::Prefetch:
    return HostActivity::Copies;
  case SiteKind::Set:
    return HostActivity::Sets;
  case SiteKind::Alloc:
  case SiteKind::Free:
  case SiteKind::Create:
  case SiteKind::Destroy:
    return HostActivity::Allocation;
  case SiteKind::Launch:
    return HostActivity::Launch;
  case SiteKind::Library:
  case SiteKind::Region:
    return HostActivity::Libraries;
  default:
    return HostActivity::Other;
  }
}

void addShare(std::vector<HostShare> &shares, HostActivity activity, uint64_t ns) {
  auto found = std::find_if(shares.begin(), shares.end(),
                            [&](const HostShare &share) { return share.name == activity; });
  if (found == shares.end())
    shares.push_back({activity, ns});
  else
    found->ns += ns;
}

} // namespace

std::vector<HostShare> hostShares(const Profile &profile) {
  std::vector<HostShare> shares;
  uint64_t sum = 0;
  for (const Site &site : profile.sites) {
    // The first call may have asked for the devices alone, and another made the context.
    const Process &process = profile.process;
    bool first = !site.id.empty() &&
                 (site.id == process.first_site || site.id == process.startup.context_site);
    if (first)
      addShare(shares, HostActivity::StartUp, site.host.first_ns);
    uint64_t ns = site.host.total_ns + (first ? 0 : site.host.first_ns);
    if (ns)
      addShare(shares, activityOf(site.kind.value()), ns);
    sum += site.host.total_ns + site.host.first_ns;
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const HostShare &a, const HostShare &b) { return a.ns > b.ns; });
  if (!sum)
    return {};
  if (uint64_t all = recordedNs(profile.process); all > sum)
    shares.push_back({HostActivity::YourCode, all - sum});
  return shares;
}

} // namespace gpuinstr::profile
