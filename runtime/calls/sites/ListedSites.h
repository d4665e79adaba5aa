// The sites of a profile, as the parts see them that fill it in.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_LISTEDSITES_H
#define GPUINSTR_CALLS_SITES_LISTEDSITES_H

#include "base/Part.h"
#include "calls/sites/Sites.h"
#include "profile/StartUp.h"
#include <functional>

namespace gpuinstr {

struct SiteCounters;

/// Which sites are not to be shown: EXCLUDED, and those that option only= leaves out.
bool isHiddenSite(SiteIndex index);

class ListedSites {
public:
  virtual ~ListedSites() = default;
  /// Makes sure that the site is listed. Its id, "" for no site.
  virtual std::string idOf(SiteIndex index) = 0;
  /// Every descriptor that was called and is shown. Those of one place share their device times.
  using Visit = std::function<void(SiteIndex, const SiteCounters &, profile::DeviceTime &)>;
  virtual void eachCalled(const Visit &visit) = 0;
};

/// For Part::fill and Part::complete.
struct ProfileScope {
  ListedSites &sites;
  double nsPerTick;
  Ending ending;
  uint64_t hiddenDeviceCalls = 0; ///< device operations of sites that are not shown
  std::vector<profile::FirstLaunches> firstLaunches; ///< from fill to complete

  uint64_t ns(uint64_t ticks) const { return uint64_t(double(ticks) * nsPerTick); }
};

} // namespace gpuinstr

#endif
