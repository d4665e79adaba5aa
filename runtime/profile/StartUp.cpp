// CUDA's one-time costs, apart from what calls usually take.
// SPDX-License-Identifier: Apache-2.0
#include "profile/StartUp.h"
#include <algorithm>

namespace gpuinstr::profile {

namespace {

const Site *siteOf(const Profile &profile, const std::string &id) {
  auto found = std::find_if(profile.sites.begin(), profile.sites.end(),
                            [&](const Site &site) { return !id.empty() && site.id == id; });
  return found == profile.sites.end() ? nullptr : &*found;
}

/// Median of a site that was called again; 0 unknown.
uint64_t usualNs(const Site *site) { return site && site->host.count ? site->host.median_ns : 0; }

/// The quickest site's, for kernels that were launched once.
uint64_t usualLaunchNs(const Profile &profile) {
  uint64_t least = 0;
  for (const Site &site : profile.sites)
    if (uint64_t ns = site.kind == SiteKind::Launch ? usualNs(&site) : 0)
      least = least ? std::min(least, ns) : ns;
  return least;
}

uint64_t above(uint64_t ns, uint64_t usual) { return ns > usual ? ns - usual : 0; }

} // namespace

bool loadsModule(const std::string &callee) {
  for (const char *name :
       {"cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "cuLinkAdd", "cuLinkComplete"})
    if (callee.rfind(name, 0) == 0)
      return true;
  return false;
}

void fillStartUp(Profile &profile, const std::vector<FirstLaunches> &launches) {
  StartUp &s = profile.process.startup;
  if (s.method.empty())
    s.method = StartUpMethod::Host;
  s.context_ns = above(s.context_ns, usualNs(siteOf(profile, s.context_site)));
  for (const Site &site : profile.sites) {
    // A call that also made the context counts there.
    if (!loadsModule(site.callee) || site.id == s.context_site)
      continue;
    s.modules += site.calls;
    s.modules_ns += site.host.first_ns + site.host.total_ns;
  }
  uint64_t otherwise = usualLaunchNs(profile);
  for (const FirstLaunches &row : launches) {
    uint64_t usual = usualNs(siteOf(profile, row.site));
    s.kernels += row.kernels;
    s.first_launches_ns += above(row.ns, row.kernels * (usual ? usual : otherwise));
  }
  // What CUPTI saw lies inside these calls but for the code of libraries that are not instrumented.
  s.total_ns = s.context_ns + std::max(s.modules_ns + s.first_launches_ns, s.loading_ns);
}

} // namespace gpuinstr::profile
