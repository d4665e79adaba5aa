// Which of two places gives memory its name: where it was made, or the line that asked for it.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/AllocationNaming.h"
#include "calls/sites/CallerRows.h"

namespace gpuinstr {

const gpuinstr_site *namingSite(SiteIndex site, SiteIndex caller) {
  const gpuinstr_site *outer = siteAt(caller), *inner = siteAt(site);
  if (!inner)
    return outer;
  bool makes = inner->op == GPUINSTR_OP_ALLOC || inner->op == GPUINSTR_OP_CREATE ||
               (inner->op == GPUINSTR_OP_LIBRARY && inner->resource);
  bool handsOn = !*inner->variable || *inner->variable == '*';
  if (makes && outer && *outer->variable &&
      (handsOn || ((outer->flags & GPUINSTR_SITE_RECEIVES) && reachesUser(site))))
    return outer;
  return inner;
}

SiteIndex callerThatNames(SiteIndex site, SiteIndex caller) {
  return caller && siteAt(site) && namingSite(site, caller) == siteAt(caller) ? caller : 0;
}

} // namespace gpuinstr
