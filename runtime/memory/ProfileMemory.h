// Memory in the profile: who holds it, who allocated it, and what it is called.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_PROFILEMEMORY_H
#define GPUINSTR_MEMORY_PROFILEMEMORY_H

#include "calls/sites/ListedSites.h"
#include "ledger/Ledger.h"
#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gpuinstr {

/// Element type and variable of what a site made, as its caller names it; "" unknown. `name`: given
/// by gpuinstr_name, 0 none.
std::string typeOf(SiteIndex site, SiteIndex caller);
std::string variableOf(SiteIndex site, SiteIndex caller, uint32_t name);

/// Appends, and sorts all by bytes.
void addHolders(std::vector<profile::Holder> &holders, std::vector<OwnerRow> rows,
                ListedSites &sites);

/// All memory since the start, by site, caller, kind and device; largest first. `judged`: the
/// driver was asked what lives: what it does not know any more is not live.
std::vector<profile::Allocations> allocationsOf(ListedSites &sites, bool judged);

} // namespace gpuinstr

#endif
