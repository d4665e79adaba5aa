// Allocations that nobody used: each is counted, unless code that is not seen may have used it.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <dlfcn.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Unused : VariedBytes {};

TEST_F(Unused, EachOfMany) {
  for (int i = 0; i < 150; ++i) {
    free(12, alloc(10));
    free(13, alloc(11, i % 3 ? 64 : 128)); // sizes in turns
    if (i % 2) {
      char *used = alloc(14);
      read(used);
      free(15, used);
    }
  }
  std::vector<profile::Finding> all = findings(profileNow(), "unused-allocation");
  ASSERT_EQ(all.size(), 2u);
  for (const profile::Finding &finding : all) {
    EXPECT_EQ(finding.count, 150u);
    EXPECT_EQ(finding.bytes, siteAtLine(profileNow(), 10)->id == finding.site
                                 ? 150 * Bytes
                                 : uint64_t(100 * 64 + 50 * 128));
  }
  free(12, alloc(10)); // the report before counted on a copy
  EXPECT_EQ(findings(profileNow(), "unused-allocation").front().count, 151u);
}

// Who is handed a piece of it, nobody sees: a workspace that no kernel needed, kept for the next
// one.
TEST_F(Unused, MemoryOfAPoolIsItsOwn) {
  char *kept = alloc(10), *given = alloc(11);
  for (char *segment : {kept, given}) {
    table().pool_alloc(this, segment, 0);
    table().pool_free(this, segment);
  }
  free(12, given);
  EXPECT_TRUE(findings(profileNow(), "unused-allocation").empty());
  free(13, alloc(11));
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

struct UnseenLibrary {
  void *handle = dlopen(GPUINSTR_TEST_UNSEEN, RTLD_LAZY | RTLD_LOCAL);
  ~UnseenLibrary() { dlclose(handle); }
};

TEST_F(Unused, CodeThatIsNotSeenMayHaveUsedIt) {
  free(12, alloc(10)); // it was not there then
  for (int i = 0; i < 5; ++i)
    free(12, alloc(10)); // and here nobody had asked
  UnseenLibrary library;
  ASSERT_TRUE(library.handle);
  free(12, alloc(10));
  free(13, alloc(11));
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

TEST_F(Unused, ALibraryThatIsGoneMayHaveUsedIt) {
  for (int i = 0; i < 5; ++i)
    free(12, alloc(10));
  ASSERT_TRUE(UnseenLibrary().handle);
  free(12, alloc(10));
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

} // namespace
