// The page of every finding is inside the program.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/FindingsPage.h"
#include "profile/Kinds.h"
#include <gtest/gtest.h>

using namespace gpuinstr;

TEST(Explain, EveryFindingHasAPage) {
  for (const profile::FindingKind *kind = profile::findingKinds(); !kind->id.empty(); ++kind) {
    std::string page = cli::explanation(kind->id);
    EXPECT_EQ(page.rfind("## " + std::string(kind->id) + "\n", 0), 0u) << kind->id;
    EXPECT_NE(page.find("**Suppress**"), std::string::npos) << kind->id;
    EXPECT_EQ(page.find("\n## "), std::string::npos) << "only its own section: " << kind->id;
  }
}

TEST(Explain, UnknownIdsHaveNone) {
  EXPECT_EQ(cli::explanation("leek"), "");
  EXPECT_EQ(cli::explanation(""), "");
  EXPECT_EQ(cli::explanation("leak\n"), "");
}
