// gpuinstr explain: the page of a finding, from docs/Findings.md inside this program.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/FindingsPage.h"
#include "profile/Kinds.h"

namespace gpuinstr::cli {

static const unsigned char FindingsPage[] = {
#include "Findings.inc"
};

std::string_view findingsPage() {
  return {reinterpret_cast<const char *>(FindingsPage), sizeof FindingsPage};
}

std::string explanation(std::string_view id) {
  std::string_view page = findingsPage();
  std::string heading = "\n## " + std::string(id) + "\n";
  std::size_t begin = page.find(heading);
  if (!profile::isFindingId(id) || begin == std::string_view::npos)
    return "";
  ++begin;
  std::size_t end = page.find("\n## ", begin);
  std::string text(page.substr(begin, end == std::string_view::npos ? end : end - begin + 1));
  while (text.size() > 1 && text[text.size() - 2] == '\n')
    text.pop_back();
  return text;
}

} // namespace gpuinstr::cli
