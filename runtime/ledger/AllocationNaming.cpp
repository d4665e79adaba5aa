// Which of two places gives memory its name: where it was made, or the line that asked for it.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/AllocationNaming.h"
#include "calls/sites/CallerRows.h"
#include <cstring>

namespace gpuinstr {

static bool makes(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_ALLOC || site.op == GPUINSTR_OP_CREATE ||
         (site.op == GPUINSTR_OP_LIBRARY && site.resource);
}

/// What writes into memory by the host's order.
static bool writes(const gpuinstr_site &site) {
  return site.op >= GPUINSTR_OP_COPY && site.op <= GPUINSTR_OP_SET_3D;
}

static bool isMember(const char *variable) { return std::strncmp(variable, "this->", 6) == 0; }

const gpuinstr_site *namingSite(SiteIndex site, SiteIndex caller) {
  const gpuinstr_site *outer = siteAt(caller), *inner = siteAt(site);
  if (!inner)
    return outer;
  const bool through = inner->flags & GPUINSTR_SITE_THROUGH;
  bool handsOn = through || !*inner->variable || *inner->variable == '*';
  bool hasOwnName = (inner->flags & (GPUINSTR_SITE_RECEIVES | GPUINSTR_SITE_LOCAL)) && !handsOn;
  if (makes(*inner) && !hasOwnName && outer && (through || *outer->variable) &&
      (handsOn || ((outer->flags & GPUINSTR_SITE_RECEIVES) && reachesUser(site))))
    return outer;
  return inner;
}

SiteIndex callerThatNames(SiteIndex site, SiteIndex caller) {
  if (!caller || !siteAt(site))
    return 0;
  return namingSite(site, caller) == siteAt(caller) || ownerOfMember(site, caller) ? caller : 0;
}

const gpuinstr_site *ownerOfMember(SiteIndex site, SiteIndex caller) {
  const gpuinstr_site *inner = siteAt(site), *naming = namingSite(site, caller);
  if (!inner || !naming || !(makes(*inner) || writes(*inner)) || !isMember(naming->variable))
    return nullptr;
  // A wrapper's row has the words of its user's line, with the object that this one constructs.
  const gpuinstr_site *line =
      siteAt(naming == inner ? callerBeyond(site, caller) : nextCaller(caller));
  return line && constructs(*line) && *line->variable ? line : nullptr;
}

bool isThrustAlgorithm(const gpuinstr_site &site) {
  return std::strncmp(site.callee, "thrust::", 8) == 0 && !std::strstr(site.callee, "vector");
}

} // namespace gpuinstr
