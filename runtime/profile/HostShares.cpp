// What the host's time went into, from the sites of a profile.
// SPDX-License-Identifier: Apache-2.0
#include "profile/HostShares.h"
#include <algorithm>

namespace gpuinstr::profile {

namespace {

/// The heading that a kind of site counts under.
std::string groupOf(const std::string &kind) {
  if (kind == "sync")
    return "sync";
  if (kind == "copy" || kind == "prefetch")
    return "copies";
  if (kind == "set")
    return "sets";
  if (kind == "alloc" || kind == "free" || kind == "create" || kind == "destroy")
    return "allocation";
  if (kind == "launch")
    return "launch";
  if (kind == "library" || kind == "region")
    return "libraries";
  return "other";
}

void addShare(std::vector<HostShare> &shares, const std::string &name, uint64_t ns) {
  auto found = std::find_if(shares.begin(), shares.end(),
                            [&](const HostShare &share) { return share.name == name; });
  if (found == shares.end())
    shares.push_back({name, ns});
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
      addShare(shares, "start-up", site.host.first_ns);
    uint64_t ns = site.host.total_ns + (first ? 0 : site.host.first_ns);
    if (ns)
      addShare(shares, groupOf(site.kind), ns);
    sum += site.host.total_ns + site.host.first_ns;
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const HostShare &a, const HostShare &b) { return a.ns > b.ns; });
  if (!sum)
    return {};
  if (uint64_t all = recordedNs(profile.process); all > sum)
    shares.push_back({YourCode, all - sum});
  return shares;
}

} // namespace gpuinstr::profile
