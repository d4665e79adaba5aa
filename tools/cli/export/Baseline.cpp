// gpuinstr suppress: a baseline of today's findings.
// SPDX-License-Identifier: Apache-2.0
#include "export/Baseline.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "options/Suppressions.h"
#include <map>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Site;

namespace {

/// Whether a rule with this pattern can be written on a line and read back.
bool writable(const std::string &pattern) {
  if (pattern.empty() || pattern.front() == ' ' || pattern.back() == ' ')
    return false;
  return pattern == printable(pattern) && pattern.find(" #") == std::string::npos &&
         pattern.find(" max=") == std::string::npos && pattern[0] != '#';
}

/// Function first: it stays when files move. "" when nothing names the finding.
std::string patternOf(const Finding &finding, const SiteIndex &sites) {
  const Site *shown = sites.shown(finding), *own = sites[finding.site];
  for (const Site *site : {shown, own})
    if (site && writable(site->function))
      return site->function;
  if (writable(finding.variable))
    return finding.variable;
  return shown && writable(shown->file) ? shown->file : "";
}

} // namespace

std::string baseline(const profile::Profile &profile) {
  SiteIndex sites(profile);
  std::map<std::string, std::pair<uint64_t, std::string>> rules; // count and places, by rule
  std::string nameless;
  for (const Finding &finding : profile.findings) {
    if (finding.suppressed || finding.grade == profile::Grade::Information)
      continue;
    std::string pattern = patternOf(finding, sites), place = placeText(sites.shown(finding));
    if (pattern.empty()) {
      nameless +=
          "# not suppressed, nothing names it: " + finding.pattern.text() + " " + place + "\n";
      continue;
    }
    auto &[most, places] = rules[finding.pattern.text() + ":" + pattern];
    most = std::max(most, finding.count); // max= looks at each finding by itself
    places += (places.empty() ? "" : ", ") + place;
  }
  std::string out = "# Findings of " + printable(profile.process.exe) +
                    " that were known; read with GPUINSTR_OPTIONS=suppressions=FILE\n";
  for (const auto &[rule, about] : rules)
    out += rule + " max=" + std::to_string(about.first) + " # " + about.second + "\n";
  return out + nameless;
}

} // namespace gpuinstr::cli
