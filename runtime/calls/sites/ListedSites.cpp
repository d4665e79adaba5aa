// The sites of a profile, as the parts see them that fill it in.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/ListedSites.h"
#include "base/text/Glob.h"
#include "calls/sites/CallerRows.h"
#include "options/Options.h"

namespace gpuinstr {

static bool isAskedFor(const gpuinstr_site *site) {
  return site && onlyMatches(options::options().only, site->function, site->file);
}

bool isHiddenSite(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  if (!site || (site->flags & GPUINSTR_SITE_EXCLUDED))
    return true;
  if (isAskedFor(site))
    return false;
  for (SiteIndex line : viaOf(index))
    if (isAskedFor(siteAt(line)))
      return false;
  return true;
}

} // namespace gpuinstr
