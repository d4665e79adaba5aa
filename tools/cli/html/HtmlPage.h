// A profile as one HTML file that needs nothing else.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_HTML_HTMLPAGE_H
#define GPUINSTR_CLI_HTML_HTMLPAGE_H

#include "html/HtmlTimeline.h"
#include "lookup/SourceFiles.h"
#include "profile/Profile.h"
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// The page; `timeline` may be null. No text of the profile can become markup: it stands as JSON
/// without '<', and the page's script makes text nodes of it.
std::string html(const profile::Profile &profile, Sources &sources, const HtmlTimeline *timeline);

/// What the page's script reads. Sites are referred to by their place, -1 none.
nlohmann::json htmlData(const profile::Profile &profile, Sources &sources,
                        const HtmlTimeline *timeline);

/// Each safe to print.
nlohmann::json texts(const std::vector<std::string> &list);

/// `sites`: the place of each site by its id.
nlohmann::json timelineData(const HtmlTimeline &timeline, const std::map<uint64_t, int> &sites);

} // namespace gpuinstr::cli

#endif
