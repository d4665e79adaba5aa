// The sites of a profile, as the parts see them that fill it in.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/ListedSites.h"
#include "base/text/Glob.h"
#include "options/Options.h"

namespace gpuinstr {

bool isHiddenSite(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  return !site || (site->flags & GPUINSTR_SITE_EXCLUDED) ||
         !onlyMatches(options::options().only, site->function, site->file);
}

} // namespace gpuinstr
