// Sites and findings looked up, as all readers of a profile need them.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/SiteIndex.h"
#include "base/text/Printable.h"
#include <algorithm>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Site;

std::vector<const Site *> sitesByTime(const profile::Profile &profile) {
  std::vector<const Site *> sites;
  for (const Site &site : profile.sites)
    if (site.calls)
      sites.push_back(&site);
  std::stable_sort(sites.begin(), sites.end(),
                   [](const Site *a, const Site *b) { return totalNs(*a) > totalNs(*b); });
  return sites;
}

SiteIndex::SiteIndex(const profile::Profile &profile) {
  for (const Site &site : profile.sites)
    ById.emplace(site.id, &site);
}

const Site *SiteIndex::operator[](const std::string &id) const {
  auto found = ById.find(id);
  return id.empty() || found == ById.end() ? nullptr : found->second;
}

const Site *SiteIndex::shown(const Finding &finding) const {
  const Site *own = (*this)[finding.site], *caller = (*this)[finding.caller];
  bool named = caller && !caller->variable.empty() && caller->variable == finding.variable;
  return caller && (!own || (named && own->variable != finding.variable)) ? caller : own;
}

std::string placeText(const Site *site) {
  if (!site || site->file.empty())
    return "?";
  std::string name = printable(site->file.substr(site->file.find_last_of('/') + 1));
  return site->line ? name + ":" + std::to_string(site->line) : name;
}

std::string kindText(const Finding &finding) {
  std::string id = finding.pattern.text();
  return finding.grade == profile::Grade::Proven ? id : id + " " + printable(finding.grade.text());
}

std::string findingText(const Finding &finding) {
  std::string text;
  auto word = [&](const std::string &part) { text += (text.empty() ? "" : " ") + part; };
  std::string mark = finding.counted ? "~" : ""; // told from a part of the calls
  if (finding.bytes)
    word(mark + bytesText(finding.bytes));
  word("x" + mark + std::to_string(finding.count));
  if (!finding.variable.empty())
    word(printable(finding.variable, 60));
  if (!finding.type.empty()) {
    std::string type = printable(finding.type, 60);
    word(finding.elements ? type + "[" + std::to_string(finding.elements) + "]" : type);
  }
  if (!finding.error.empty())
    word(printable(finding.error, 60));
  std::string_view message = finding.message;
  if (const std::string name = finding.variable + ": "; message.rfind(name, 0) == 0)
    message.remove_prefix(name.size()); // it stands there already
  if (!message.empty())
    text += ": " + printable(message, 300);
  return text;
}

bool counts(const Finding &finding) {
  using profile::FindingClass;
  FindingClass cls = profile::findingKind(finding.pattern).cls;
  return finding.grade == profile::Grade::Proven && !finding.suppressed &&
         (cls == FindingClass::Bug || cls == FindingClass::Waste);
}

} // namespace gpuinstr::cli
