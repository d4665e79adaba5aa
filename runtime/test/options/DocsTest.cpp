// The pages of docs/ that belong to tables in the code are up to date.
// SPDX-License-Identifier: Apache-2.0
#include "OptionsDoc.h"
#include "profile/kinds/FindingKind.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace gpuinstr::test {

static const std::string Docs = std::string(GPUINSTR_SOURCE_DIR) + "/docs/";

static std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// GPUINSTR_UPDATE_DOCS=1 rewrites the page.
TEST(Docs, OptionsPageIsUpToDate) {
  std::string path = Docs + "Options.md", wanted = optionsDocument();
  if (std::getenv("GPUINSTR_UPDATE_DOCS"))
    std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(readFile(path), wanted)
      << "docs/Options.md is stale: run this test with GPUINSTR_UPDATE_DOCS=1";
}

TEST(Docs, FindingsPageHasOneSectionPerFinding) {
  std::string page = readFile(Docs + "Findings.md");
  std::size_t headings = 0;
  for (const profile::FindingKind *kind = profile::findingKinds(); !kind->id.empty(); ++kind) {
    EXPECT_NE(page.find("\n## " + std::string(kind->id) + "\n"), std::string::npos) << kind->id;
    ++headings;
  }
  std::size_t sections = 0;
  for (std::size_t at = page.find("\n## "); at != std::string::npos;
       at = page.find("\n## ", at + 1))
    ++sections;
  EXPECT_EQ(sections, headings) << "a section without a row in profile/kinds/Findings.def";
}

TEST(Docs, EveryFindingsSectionSaysItAll) {
  std::string page = readFile(Docs + "Findings.md");
  for (std::size_t at = page.find("\n## "); at != std::string::npos;) {
    std::size_t next = page.find("\n## ", at + 1);
    std::string section = page.substr(at, next - at);
    for (const char *part : {"**Grade**", "**Why**", "**Example**", "**Fix**", "**Suppress**"})
      EXPECT_NE(section.find(part), std::string::npos) << part << " is missing in" << section;
    at = next;
  }
}

} // namespace gpuinstr::test
