// Which copies and sets that come again and again go the short way, and what it still sees.
// SPDX-License-Identifier: Apache-2.0
#include "TransferWays.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include <algorithm>
#include <cstring>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// How many of the calls go the long way, once it is known how they go.
struct WhichWay : TransferWaysTest {
  void SetUp() override {
    TransferWaysTest::SetUp();
    begin("audit=sampled:budget=100", false, {0});
  }
  template <class Work> unsigned longOf(int count, Work work) {
    work();
    work();
    transferWays().calls = 0;
    for (int i = 0; i < count; ++i)
      work();
    return transferWays().calls;
  }
  static void spend() {
    while (overheadBudget().takeFirst(100000))
      ;
    overheadBudget().correct(OverheadBudget::MaxStockNs);
  }
};

TEST_F(WhichWay, SetsOfAPool) {
  int turn = 0;
  EXPECT_EQ(longOf(100, [&] { set(700, d[turn % 3] + 64 * turn, 64), ++turn; }), 0u);
}

TEST_F(WhichWay, SetsThatLeaveTheirSegment) {
  EXPECT_EQ(longOf(10, [&] { set(700, d[0] + Place - 32, 32); }), 0u);
  EXPECT_EQ(longOf(10, [&] { set(700, d[0] + Place - 32, 64, 0, 1); }), 10u);
}

TEST_F(WhichWay, SetsThatAreCaptured) {
  EXPECT_EQ(longOf(10, [&] { set(700, d[0], 64); }), 0u);
  cuda::Captures.beginning();
  EXPECT_EQ(longOf(10, [&] { set(700, d[0], 64); }), 10u);
  cuda::Captures.beginFailed();
  EXPECT_EQ(longOf(10, [&] { set(700, d[0], 64); }), 0u);
}

TEST_F(WhichWay, SetsOfOtherMemoryAreJudged) {
  // Looked at again and again, ever more seldom.
  EXPECT_GT(longOf(40, [&] { set(700, d[Segments], 2048); }), 20u);
  EXPECT_LT(longOf(400, [&] { set(700, d[Segments], 2048); }), 120u);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
}

/// A segment that is freed is another's memory.
TEST_F(WhichWay, ASegmentThatIsGone) {
  EXPECT_EQ(longOf(10, [&] { set(700, d[0], 2048); }), 0u);
  free(40, d[0]);
  d[0] = alloc(41, Place, GPUINSTR_RES_DEVICE, place[0].data());
  EXPECT_GT(longOf(20, [&] { set(700, d[0], 2048); }), 10u) << "no pool's any more";
}

TEST_F(WhichWay, CopiesThatNeedNoLook) {
  for (int i = 0; i < 400; ++i)
    copy(702, d[0], d[1], 2048, Within);
  EXPECT_LT(longOf(400, [&] { copy(702, d[0], d[1], 2048, Within); }), 40u);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
}

/// Asking for a look that nobody can afford is no reason to go the long way.
TEST_F(WhichWay, CopiesThatNobodyCanAffordToLookAt) {
  begin("audit=sampled:budget=1", false, {0});
  auto copies = [&](int count) {
    transferWays().calls = 0;
    for (int i = 0; i < count; ++i) {
      spend();
      copy(702, d[Segments], d[1], 2048, Within);
    }
    return transferWays().calls;
  };
  const unsigned first = copies(2000); // 45 where time counts for nothing
  EXPECT_GT(first, 10u) << "all of the first, then ever fewer";
  EXPECT_LT(first, 40u);
  free(40, d[Segments]);
  make(Segments);
  EXPECT_LT(copies(2000), 36u) << "the line's next buffer is no surprise";
}

/// What an upload sends may be other bytes each time: a few words say that there is nothing to see.
TEST_F(WhichWay, SmallUploadsAreSearchedForAddresses) {
  const auto up = [&] { copy(704, d[Segments], host.data(), 512, Up); };
  for (int i = 0; i < 400; ++i)
    up();
  EXPECT_LT(longOf(400, up), 40u);
  EXPECT_FALSE(rangeAt(d[1]).named);
  const char *table = d[1] + 512;
  std::memcpy(host.data() + 256, &table, sizeof table);
  up();
  EXPECT_TRUE(rangeAt(d[1]).named);
  EXPECT_TRUE(rangeAt(d[Segments]).holds);
}

TEST_F(WhichWay, HalvesOfAddressesAreNoticed) {
  const auto up = [&] { copy(704, d[Segments] + 4, host.data(), 4, Up); };
  std::memset(host.data(), 0, 8);
  for (int i = 0; i < 400; ++i)
    up();
  EXPECT_FALSE(audit::Ranges::unscanned);
  uint64_t address = reinterpret_cast<uint64_t>(d[1]);
  std::memcpy(host.data(), reinterpret_cast<char *>(&address) + 4, 4);
  up();
  EXPECT_TRUE(audit::Ranges::unscanned);
}

/// What lies in a copy's source by then lies in its destination behind it.
TEST_F(WhichWay, AddressesThatAreCopiedOn) {
  const auto on = [&] { copy(702, d[Segments], d[0], 2048, Within); };
  for (int i = 0; i < 400; ++i)
    on();
  EXPECT_FALSE(rangeAt(d[Segments]).holds);
  std::memcpy(host.data(), &d[1], sizeof d[1]);
  copy(704, d[0], host.data(), 512, Up);
  EXPECT_TRUE(rangeAt(d[0]).holds);
  on();
  EXPECT_TRUE(rangeAt(d[Segments]).holds);
}

TEST_F(WhichWay, LargeUploadsThatDoNotBeginUniform) {
  const auto up = [&] { copy(704, d[Segments], host.data(), Place, Up); };
  for (int i = 0; i < 400; ++i)
    up();
  EXPECT_LT(longOf(400, up), 60u);
  EXPECT_TRUE(none("uniform-upload"));
  EXPECT_GE(finding("pageable-async").count, 800u) << "each is counted";
  EXPECT_EQ(finding("pageable-async").bytes, finding("pageable-async").count * Place);
  std::fill(host.begin(), host.end(), char(7));
  earn();
  up();
  // The report folds it into the line's noop-copy.
  const auto records = audit::auditor().waste.records();
  EXPECT_TRUE(std::any_of(records.begin(), records.end(), [](const FindingRecord &found) {
    return found.key.pattern == Pattern::UniformUpload && found.count == 1;
  }));
}

/// Pinned memory is read later: nothing to search, and nothing is decoded.
TEST_F(WhichWay, CopiesFromAndToPinnedMemoryDecodeNothing) {
  alloc(20, Place, GPUINSTR_RES_PINNED, host.data());
  const auto up = [&] { copy(704, d[Segments], host.data(), 2048, Up); };
  const auto down = [&] { copy(705, host.data() + 32768, d[Segments + 1], 2048, Down); };
  for (int i = 0; i < 400; ++i)
    up(), down();
  const uint32_t before = Self->decodings;
  EXPECT_LT(longOf(400, up) + longOf(400, down), 40u);
  EXPECT_LT(Self->decodings - before, 40u);
}

/// A buffer that another thread frees while it is copied to and from.
TEST_F(WhichWay, BuffersThatGoMeanwhile) {
  alloc(20, Place, GPUINSTR_RES_PINNED, host.data());
  for (int i = 0; i < 200; ++i) {
    const auto meanwhile = [&] { doMeanwhile(2, Segments, 0); };
    const bool isFreed = i % 20 == 19;
    copy(704, d[Segments], host.data(), 2048, Up, 0, 0,
         isFreed ? meanwhile : std::function<void()>());
    copy(705, host.data() + 32768, d[Segments], 2048, Down, 0, 0,
         i % 30 == 29 ? meanwhile : std::function<void()>());
  }
  EXPECT_EQ(audit::auditor().keys.size(), rangeAt(d[Segments]).keys.size());
}

TEST_F(WhichWay, FailuresAreSeen) {
  for (int i = 0; i < 50; ++i)
    set(700, d[0], 64, 0, i == 30 ? 1 : 0);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 700)->calls, 50u);
  EXPECT_EQ(siteAtLine(p, 700)->failed, 1u);
  EXPECT_EQ(siteAtLine(p, 700)->bytes, 49 * 64u);
}

} // namespace
