// noop-copy: repeats with nothing before them, beside such behind something that may write; and
// what to do. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct QuietRepeats : VariedBytes {
  char *d = nullptr;
  void SetUp() override {
    VariedBytes::SetUp();
    d = alloc(10);
  }
};

TEST_F(QuietRepeats, WhatToDoFollowsFromWhatMoves) {
  std::vector<char> pieces(6 * Bytes);
  for (int i = 0; i < 6; ++i)
    std::memcpy(pieces.data() + i * Bytes, host.data(), Bytes);
  char *e = alloc(11), *g = alloc(12);
  for (int i = 0; i < 6; ++i) {
    upload(20, d, host.data());
    upload(21, e, pieces.data() + i * Bytes);
    for (uint64_t half : {uint64_t(0), Bytes / 2})
      upload(22, g + half, host.data() + half, Bytes / 2);
  }
  std::map<unsigned, std::string> fixes;
  profile::Profile p = profileNow();
  for (const profile::Finding &found : findings(p, "noop-copy"))
    for (const profile::Site &site : p.sites)
      if (site.id == found.site)
        fixes[site.line] = found.fix;
  EXPECT_EQ(fixes[20].substr(0, 25), "copy once before the loop");
  EXPECT_EQ(fixes[21].substr(0, 37), "copy only where the bytes are others ");
  EXPECT_EQ(fixes[22].substr(0, 23), "copy once to each place");
}

/// Twenty uploads of the same bytes, one in so many behind something.
TEST_F(QuietRepeats, WhereMostHaveNothingBeforeThemThoseAreProven) {
  for (int i = 0; i < 21; ++i) {
    if (i % 7 == 6)
      launch("writer", {parameter(Reads | Writes)}, {d});
    upload(20, d, host.data());
  }
  ASSERT_EQ(findings(profileNow(), "noop-copy").size(), 1u);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 17u);
  EXPECT_EQ(found.bytes, 17 * Bytes);
  EXPECT_EQ(found.message,
            "all 17 repeats checked, all unchanged; 3 more, likely for nothing, behind "
            "something that may write it");
}

TEST_F(QuietRepeats, WhereHalfOfThemHaveSomethingBeforeThemAllAreLikely) {
  for (int i = 0; i < 21; ++i) {
    if (i % 2)
      launch("writer", {parameter(Reads | Writes)}, {d});
    upload(20, d, host.data());
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(QuietRepeats, WhereAKernelChangesThemTheyAreAdvice) {
  for (int i = 0; i < 21; ++i) {
    if (i % 7 == 6) {
      launch("writer", {parameter(Reads | Writes)}, {d});
      d[5] ^= 1;
    }
    upload(20, d, host.data());
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "advice");
}

/// It may go on up to the wait: behind which of them it wrote, nobody knows.
/// 20 repeats, and a kernel of another stream before the sixth of them, waited for before `waited`.
struct BesideAnotherStream : QuietRepeats {
  profile::Finding found(int waited) {
    uint64_t stream = makeStream(true);
    for (int i = 0; i < 21; ++i) {
      if (i == 6)
        launch("writer", {parameter(Reads | Writes)}, {d}, stream);
      if (i == waited)
        syncDevice();
      upload(20, d, host.data());
    }
    return finding("noop-copy");
  }
};

TEST_F(BesideAnotherStream, NoneIsProven) {
  profile::Finding one = found(8);
  EXPECT_EQ(one.grade.text(), "likely");
  EXPECT_EQ(one.count, 20u);
}

/// What one wait has ended, is ended.
TEST_F(BesideAnotherStream, BehindAKernelThatHasEndedTheyAreProven) {
  profile::Finding one = found(6);
  EXPECT_EQ(one.grade.text(), "proven");
  EXPECT_EQ(one.count, 19u);
}

TEST_F(QuietRepeats, OfSetsAndDownloadsLikewise) {
  char *read = alloc(11);
  std::vector<char> to(Bytes);
  for (int i = 0; i < 21; ++i) {
    if (i == 10)
      launch("writer", {parameter(Writes), parameter(Writes)}, {d, read});
    set(30, d, 0);
    download(31, to.data(), read);
  }
  std::vector<profile::Finding> all = findings(profileNow(), "noop-copy");
  EXPECT_EQ(all.size(), 2u);
  for (const profile::Finding &found : all) {
    EXPECT_EQ(found.grade.text(), "proven") << found.message;
    EXPECT_EQ(found.count, 19u) << found.message;
  }
}

} // namespace
