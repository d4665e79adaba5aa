// Memory in the profile: who holds it, who allocated it, and what it is called.
// SPDX-License-Identifier: Apache-2.0
#include "memory/ProfileMemory.h"
#include "calls/sites/CallerRows.h"
#include "ledger/AllocationNaming.h"
#include "ledger/UserNames.h"
#include "profile/kinds/SiteKind.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace gpuinstr {

/// The element type is known where the memory is made: a caller's variable may be the owner.
std::string typeOf(SiteIndex site, SiteIndex caller) {
  const gpuinstr_site *own = siteAt(site), *naming = namingSite(site, caller);
  for (const gpuinstr_site *from : {own, naming})
    if (from && *from->type && std::strcmp(from->type, "void") != 0)
      return from->type;
  return "";
}

std::string variableOf(SiteIndex site, SiteIndex caller, uint32_t name) {
  if (name)
    return userNameText(name);
  const gpuinstr_site *naming = namingSite(site, caller);
  if (const gpuinstr_site *owner = ownerOfMember(site, caller))
    return memberOf(*owner, naming->variable + std::strlen("this->"));
  const gpuinstr_site *own = siteAt(site);
  if (naming && isThrustAlgorithm(*naming))
    return "";
  if (own && naming != own && (own->flags & GPUINSTR_SITE_THROUGH)) {
    const std::string at = variableAt(callerBeyond(site, caller), *own);
    return at.empty() ? own->variable : at;
  }
  return naming ? naming->variable : "";
}

static profile::Holder holderOf(const OwnerRow &row, ListedSites &sites) {
  profile::Holder h;
  h.site = sites.idOf(row.site);
  h.caller = sites.idOf(callerBeyond(row.site, row.caller));
  h.variable = variableOf(row.site, row.caller, 0);
  h.memory = profile::resourceOf(row.resource);
  h.bytes = row.bytes;
  h.count = row.count;
  return h;
}

void addHolders(std::vector<profile::Holder> &holders, std::vector<OwnerRow> rows,
                ListedSites &sites) {
  for (const OwnerRow &row : rows)
    holders.push_back(holderOf(row, sites));
  std::stable_sort(
      holders.begin(), holders.end(),
      [](const profile::Holder &a, const profile::Holder &b) { return a.bytes > b.bytes; });
}

std::vector<profile::Allocations> allocationsOf(ListedSites &sites, bool judged) {
  // Descriptors of one line, one per unit that uses it, are one row.
  using Key = std::tuple<std::string, std::string, std::string, profile::Resource, int>;
  std::map<Key, profile::Allocations> rows;
  auto rowOf = [&](int device, SiteIndex site, SiteIndex caller,
                   unsigned resource) -> profile::Allocations & {
    Key key{sites.idOf(site), sites.idOf(callerBeyond(site, caller)), variableOf(site, caller, 0),
            profile::resourceOf(resource), device};
    profile::Allocations &row = rows[key];
    std::tie(row.site, row.caller, row.variable, row.memory, row.device) = key;
    return row;
  };
  for (const AllocatedRow &from : ledger().allocated()) {
    profile::Allocations &row = rowOf(from.device, from.site, from.caller, from.resource);
    row.count += from.count;
    row.bytes += from.bytes;
    row.peak_bytes += from.peakBytes;
    row.live_count += from.liveCount;
    row.live_bytes += from.liveBytes;
  }
  // In the middle of a run nothing is known to be gone, and there may be a lot to look through.
  for (const Allocation &live : judged ? ledger().snapshot() : std::vector<Allocation>()) {
    if (!live.listed || !live.gone)
      continue;
    profile::Allocations &row =
        rowOf(live.device, live.site, callerThatNames(live.site, live.caller), live.resource);
    --row.live_count;
    row.live_bytes -= live.bytes;
  }
  std::vector<profile::Allocations> all;
  for (auto &entry : rows)
    all.push_back(std::move(entry.second));
  std::stable_sort(all.begin(), all.end(),
                   [](const profile::Allocations &a, const profile::Allocations &b) {
                     return a.bytes > b.bytes;
                   });
  return all;
}

} // namespace gpuinstr
