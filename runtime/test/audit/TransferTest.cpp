// Downloads, round trips, small copies judged on the host.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/budget/OverheadBudget.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Transfer : AuditTest {
  std::vector<char> host = std::vector<char>(Bytes, 7), back = std::vector<char>(Bytes);
  char *d = nullptr;
  void SetUp() override {
    AuditTest::SetUp();
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 17 + i / 255);
    d = alloc(10);
    upload(11, d, host.data());
  }
  void write() {
    launch("writer", {parameter(Reads | Writes)}, {d});
    syncDevice();
  }
};

TEST_F(Transfer, DownloadsOfTheSameBytesAreProven) {
  for (int i = 0; i < 5; ++i)
    download(20, back.data(), d);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.direction.text(), "D2H");
  EXPECT_EQ(found.count, 4u);
}

TEST_F(Transfer, AFlagReadBackIsNeverProven) {
  for (int i = 0; i < 5; ++i) {
    write();
    download(20, back.data(), d);
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(Transfer, TheHostChangedWhatItGot) {
  for (int i = 0; i < 5; ++i) {
    download(20, back.data(), d);
    back[100] ^= 1;
  }
  EXPECT_TRUE(none("noop-copy"));
  EXPECT_EQ(figures().verified, 4u);
}

TEST_F(Transfer, OtherBytesOnTheDevice) {
  for (int i = 0; i < 5; ++i) {
    write();
    d[5] = char(i);
    download(20, back.data(), d);
  }
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Transfer, DownloadsBesideWhatMayWaitAreComparedByTheHost) {
  uint64_t busy = makeStream(true);
  char *e = alloc(12);
  for (int i = 0; i < 8; ++i) {
    if (i == 4)
      launch("writer", {parameter(Reads | Writes)}, {e}, busy);
    unsigned before = engine.hashes;
    download(20, back.data(), d);
    EXPECT_EQ(engine.hashes == before, i == 0 || i == 4) << i;
    syncDevice();
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(finding("noop-copy").checked, 7u);
}

TEST_F(Transfer, OfDownloadsTheOnesThatWereComparedCount) {
  for (int i = 0; i < 8; ++i) {
    audit::auditor().verifies = i != 4;
    if (i == 4)
      back[0] ^= 1; // nobody looks
    download(20, back.data(), d);
    syncDevice();
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(finding("noop-copy").count, 6u);
  EXPECT_EQ(finding("noop-copy").checked, 6u);
}

TEST_F(Transfer, DownloadedThoughTheHostHasIt) {
  char *e = alloc(12);
  for (int i = 0; i < 5; ++i) {
    host[0] = char(i);
    upload(21, e, host.data());
    launch("reader", {parameter(Reads)}, {e});
    download(22, host.data(), e);
  }
  profile::Finding found = finding("roundtrip");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.direction.text(), "D2H");
  EXPECT_EQ(found.count, 5u) << "the first one, too: one finding";
  EXPECT_FALSE(found.related.empty());
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Transfer, UploadedThoughTheDeviceHasIt) {
  for (int i = 0; i < 6; ++i) {
    write();
    d[3] = char(i);
    download(22, back.data(), d);
    upload(23, d, back.data());
  }
  profile::Finding found = finding("roundtrip");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.direction.text(), "H2D");
  EXPECT_EQ(found.count, 6u) << "the first one, too";
}

TEST_F(Transfer, NoRoundTripWhereTheHostChangesTheBytes) {
  for (int i = 0; i < 6; ++i) {
    write();
    download(22, back.data(), d);
    back[7] = char(i + 1);
    upload(23, d, back.data());
  }
  EXPECT_TRUE(none("roundtrip"));
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Transfer, NoRoundTripWhereAKernelChangesTheBytes) {
  for (int i = 0; i < 6; ++i) {
    upload(23, d, back.data());
    write();
    d[3] = char(i + 1);
    download(22, back.data(), d);
    back[9] = char(i + 1);
  }
  EXPECT_TRUE(none("roundtrip"));
}

struct Small : Transfer {
  static constexpr uint64_t Few = 4096;
  char *s = nullptr;
  void SetUp() override {
    AuditTest::SetUp();
    start("audit=sampled:budget=1");
    s = alloc(30, Few);
  }
  void TearDown() override {
    start("budget=2");
    AuditTest::TearDown();
  }
  /// Too little for the device from now on, enough for the host, however slow this machine is.
  void spend() {
    engine.launchNs = 1000000000;
    refill();
  }
  static void refill() { overheadBudget().correct(-10000000); }
};

TEST_F(Small, TheDeviceJudgesAsLongAsTheBudgetLasts) {
  for (int i = 0; i < 6; ++i)
    upload(31, s, host.data(), Few);
  EXPECT_EQ(engine.hashes, 10u);
  EXPECT_EQ(finding("noop-copy").checked, 5u);
}

TEST_F(Small, ThenTheHostSeesOtherBytes) {
  for (int i = 0; i < 6; ++i)
    upload(31, s, host.data(), Few);
  spend();
  host[0] ^= 1;
  upload(31, s, host.data(), Few);
  EXPECT_EQ(engine.hashes, 10u) << "not on the device";
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.checked, 6u);
  EXPECT_EQ(found.unchanged, 5u);
}

TEST_F(Small, TheSameBytesOnTheHostProveNothing) {
  for (int i = 0; i < 6; ++i)
    upload(31, s, host.data(), Few);
  spend();
  s[5] ^= 1; // by code that is not instrumented
  upload(31, s, host.data(), Few);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.checked - found.host_checked, 5u);
  EXPECT_EQ(found.count, 6u);
}

TEST_F(Small, AMissedRepeatIsNotBridged) {
  for (int i = 0; i < 6; ++i)
    upload(31, s, host.data(), Few);
  uint64_t busy = makeStream(true);
  launch("writer", {parameter(Writes)}, {alloc(32)}, busy);
  std::vector<char> other(Few, 99);
  upload(31, s, other.data(), Few); // not looked at
  syncDevice();
  spend();
  upload(31, s, other.data(), Few);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.checked - found.host_checked, 5u)
      << "the hash of before says nothing of what lay there";
  EXPECT_EQ(found.grade.text(), "advice") << "the host sent other bytes once";
}

struct Gap : Small {
  void SetUp() override {
    Small::SetUp();
    for (int i = 0; i < 6; ++i)
      upload(31, s, host.data(), Few);
    audit::auditor().verifies = false;
    for (int i = 0; i < 5; ++i)
      upload(31, s, host.data(), Few); // not looked at
    audit::auditor().verifies = true;
    spend();
  }
};

TEST_F(Gap, TheSameBytesOnTheHostLeaveItOpenForTheLookBeforeTheFree) {
  upload(31, s, host.data(), Few);
  EXPECT_EQ(finding("noop-copy").count, 5u) << "what the memory held before, nobody saw";
  free(32, s);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(finding("noop-copy").count, 11u);
}

TEST_F(Gap, OtherBytesOnTheHostDoNot) {
  host[5] ^= 1;
  upload(31, s, host.data(), Few);
  host[5] ^= 1;
  audit::auditor().verifies = false;
  upload(31, s, host.data(), Few); // not looked at
  audit::auditor().verifies = true;
  free(32, s);
  EXPECT_LT(finding("noop-copy").count, 11u);
}

TEST_F(Gap, OtherBytesAtItsEndAreTold) {
  upload(31, s, host.data(), Few);
  audit::auditor().verifies = false;
  host[5] ^= 1;
  upload(31, s, host.data(), Few); // not looked at
  audit::auditor().verifies = true;
  free(32, s);
  EXPECT_EQ(finding("noop-copy").grade.text(), "advice");
}

TEST_F(Small, AKernelInBetweenAsksTheDevice) {
  for (int i = 0; i < 10; ++i) {
    refill();
    upload(31, s, host.data(), Few);
    launch("writer", {parameter(Reads | Writes)}, {s});
  }
  EXPECT_EQ(engine.hashes, 18u);
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(Transfer, SetsOfPinnedMemoryAreAwaitedAndNeverProven) {
  char *pinned = alloc(12, Bytes, GPUINSTR_RES_PINNED);
  for (int i = 0; i < 6; ++i)
    set(30, pinned, 0);
  EXPECT_EQ(engine.waits, 5u) << "the host may write there right behind the call";
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "likely") << "the host writes it without a call";
  EXPECT_EQ(found.count, 5u);
  free(31, pinned, GPUINSTR_RES_PINNED);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Transfer, SetsOfPinnedMemoryThatTheHostWrites) {
  char *pinned = alloc(12, Bytes, GPUINSTR_RES_PINNED);
  for (int i = 0; i < 6; ++i) {
    set(30, pinned, 0);
    pinned[3] = 1;
  }
  EXPECT_TRUE(none("noop-copy"));
}

} // namespace
