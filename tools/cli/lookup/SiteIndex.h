// Sites and findings looked up, as all readers of a profile need them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_SITEINDEX_H
#define GPUINSTR_CLI_LOOKUP_SITEINDEX_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpuinstr::cli {

/// Host time of all calls, each site's first one included.
inline uint64_t totalNs(const profile::Site &site) {
  return site.host.total_ns + site.host.first_ns;
}

/// Sites that ran, slowest first.
std::vector<const profile::Site *> sitesByTime(const profile::Profile &profile);

/// By id; lives as long as the profile.
class SiteIndex {
public:
  explicit SiteIndex(const profile::Profile &profile);
  /// nullptr for "" and unknown ids.
  const profile::Site *operator[](const std::string &id) const;
  /// Where the user looks first, as in the text report: the caller's line where that one gave the
  /// variable its name, else the site's.
  const profile::Site *shown(const profile::Finding &finding) const;

private:
  std::unordered_map<std::string_view, const profile::Site *> ById;
};

/// "train.cu:88", "?" unknown; safe to print.
std::string placeText(const profile::Site *site);

/// One line that says what a finding is: "4.19 MB x1 of d_tmp (float[1048576]) ...".
std::string findingText(const profile::Finding &finding);

/// "leak", "unused-allocation likely": what is proven needs no word for it.
std::string kindText(const profile::Finding &finding);

/// A proven bug or proven waste that is not suppressed: what totals count.
bool counts(const profile::Finding &finding);

} // namespace gpuinstr::cli

#endif
