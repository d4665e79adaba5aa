// `// gpuinstr-ignore: <ids> reason` in the program's source.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/IgnoreComment.h"
#include "base/text/Printable.h"
#include "calls/code/Images.h"
#include "calls/sites/Sites.h"
#include "profile/kinds/FindingKind.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace gpuinstr {

namespace {

bool isFinding(std::string_view id) {
  const auto &all = profile::Texts<profile::Pattern>::List;
  return std::find(std::begin(all), std::end(all), id) != std::end(all);
}

/// Takes an id off the comment's front.
std::string_view takeId(std::string_view &text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '-'))
    ++end;
  std::string_view id = text.substr(0, end);
  text.remove_prefix(end);
  return id;
}

/// The id at the start, whatever it is, and those of findings behind commas.
std::vector<std::string_view> idsOf(std::string_view comment) {
  std::vector<std::string_view> ids{takeId(comment)};
  while (true) {
    comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
    if (comment.empty() || comment[0] != ',')
      return ids;
    comment.remove_prefix(1);
    std::string_view id = takeId(comment);
    if (!isFinding(id))
      return ids; // the reason
    ids.push_back(id);
  }
}

} // namespace

bool ignoresFinding(std::string_view comment, std::string_view id) {
  std::vector<std::string_view> ids = idsOf(comment);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<std::string> mistakenIgnores() {
  std::set<std::string> lines;
  for (const ModuleInfo &module : registeredModules())
    for (SiteIndex index : module.sites) {
      const gpuinstr_site *site = siteAt(index);
      if (!site || !*site->ignore)
        continue;
      std::string_view id = idsOf(site->ignore).front(), file = site->file;
      if (!isFinding(id))
        lines.insert(std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
                     std::to_string(site->line) + ": gpuinstr-ignore: '" +
                     printable(id.empty() ? site->ignore : id, 40) + "' is no finding");
    }
  return {lines.begin(), lines.end()};
}

} // namespace gpuinstr
