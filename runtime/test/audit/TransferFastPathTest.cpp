// The fast path says what the long way says; how often is looked.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/budget/OverheadBudget.h"
#include <algorithm>
#include <random>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct TransferFastPath : AuditTest {
  static constexpr uint64_t Small = 4096;
  std::vector<char> host = std::vector<char>(4 * Bytes);
  std::vector<char> place[4]; ///< the buffers lie at the same addresses in each run
  char *d[4] = {};
  uint64_t streams[2] = {};

  void SetUp() override {
    for (std::vector<char> &block : place)
      block.resize(Bytes);
    begin("audit=full");
  }
  void TearDown() override {
    audit::FastPathsClosed = false;
    AuditTest::TearDown();
  }
  void begin(const char *options) {
    start(options);
    audit::auditStateOf(*thisThread()).row = audit::CopyRows(); // a former run's
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 31 + i / 251);
    for (int i = 0; i < 4; ++i) {
      std::fill(place[i].begin(), place[i].end(), 0);
      d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
    }
  }
  /// FastPaths that are open for the next call like theirs.
  unsigned hits() {
    unsigned open = 0;
    for (const audit::TransferFastPath &path : audit::auditStateOf(*Self).paths)
      open += path.site != nullptr && path.left->load() > 0 && path.dstRange &&
              path.dstRange->serial == path.dstSerial && !path.isBound &&
              path.rangeGeneration == audit::auditor().ranges.hostGeneration.load();
    return open;
  }

  void freeAndMakeAgain(int i) {
    free(40, d[i]);
    d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
  }
  void kernel(int which, int buffer, uint64_t stream) {
    if (which == 0)
      launch("reader", {parameter(Reads)}, {d[buffer]}, stream);
    else if (which == 1)
      launch("writer", {parameter(Reads | Writes)}, {d[buffer]}, stream);
    else if (which == 2)
      launch("unseen", {parameter(Unseen)}, {d[buffer]}, stream);
    else
      launch("nothing", {}, {}, stream);
  }
  /// One call of a random program. Repeats of the same few are the rule.
  void step(std::mt19937 &random, unsigned mix) {
    unsigned what = random() % 100;
    int i = int(random() % 3), j = int(random() % 3);
    uint64_t stream = streams[random() % 2], bytes = random() % 8 ? Small : 256;
    if (what < 30)
      uploadAsync(20 + i, d[i], host.data() + (random() % 8 ? 0 : 64), stream, bytes);
    else if (what < 50)
      upload(23 + i, d[i], host.data(), bytes);
    else if (what < 60)
      download(26, host.data() + 2 * Bytes, d[i], bytes);
    else if (what < 68)
      copyDevice(27, d[i], d[j] + Small * 4, bytes);
    else if (what < 76)
      set(28, d[i], 0, bytes);
    else if (what < 80 && mix & 1)
      kernel(int(random() % (mix & 4 ? 4 : 2)), i, stream);
    else if (what < 84)
      syncStream(stream);
    else if (what < 86)
      syncDevice();
    else if (what == 90 && mix & 2)
      freeAndMakeAgain(i);
    else if (what == 91)
      host[random() % Small] ^= 1;
    else if (what > 91) // the same transfer many times, as in a loop
      for (int k = 0; k < 40; ++k)
        upload(29, d[3], host.data(), Small);
  }
  /// All that the report would say but times.
  std::vector<std::string> run(const char *options, unsigned seed, bool closed) {
    begin(options);
    audit::FastPathsClosed = closed;
    std::mt19937 random(seed);
    for (int i = 0; i < 600; ++i) {
      earn(); // however slow this machine is
      step(random, seed);
    }
    profile::Profile all = profileNow();
    std::vector<std::string> said;
    for (const profile::Finding &f : all.findings)
      said.push_back(f.pattern.text() + " " + f.grade.text() + " " + f.direction.text() + " " +
                     f.message + " x" + std::to_string(f.count) + " " + std::to_string(f.bytes) +
                     " " + std::to_string(f.checked) + "/" + std::to_string(f.unchanged));
    std::sort(said.begin(), said.end());
    const profile::Audit &a = all.coverage.audit;
    said.push_back("eligible " + std::to_string(a.eligible) + " " +
                   std::to_string(a.eligible_bytes) + " verified " + std::to_string(a.verified) +
                   " " + std::to_string(a.verified_bytes));
    return said;
  }
};

TEST_F(TransferFastPath, SaysWhatTheLongWaySays) {
  for (const char *options : {"audit=sampled:budget=100", "audit=sampled:budget=0", "audit=full"}) {
    streams[0] = 0;
    streams[1] = makeStream(true);
    for (unsigned seed = 0; seed < 24; ++seed)
      EXPECT_EQ(run(options, seed, false), run(options, seed, true)) << options << " seed " << seed;
  }
}

TEST_F(TransferFastPath, OpensWhenNothingIsDue) {
  begin("audit=sampled:budget=100");
  unsigned open = 0;
  for (int i = 0; i < 340; ++i) {
    upload(20, d[0], host.data(), Small);
    open += i >= 300 ? hits() : 0;
  }
  EXPECT_GE(open, 36u);
}

TEST_F(TransferFastPath, OnlyWhatItsAddressesMayMeanClosesIt) {
  begin("audit=sampled:budget=100");
  for (int i = 0; i < 400 && !(i >= 300 && hits()); ++i)
    upload(20, d[0], host.data(), Small);
  ASSERT_EQ(hits(), 1u);
  freeAndMakeAgain(1);
  EXPECT_EQ(hits(), 1u) << "another buffer of the device";
  freeAndMakeAgain(0);
  EXPECT_EQ(hits(), 0u) << "its own";
  for (int i = 0; i < 400 && !(i >= 300 && hits()); ++i)
    upload(20, d[0], host.data(), Small);
  ASSERT_EQ(hits(), 1u);
  char *pinned = alloc(50, Bytes, GPUINSTR_RES_PINNED);
  EXPECT_EQ(hits(), 0u) << "maybe the source";
  free(51, pinned, GPUINSTR_RES_PINNED);
}

TEST_F(TransferFastPath, PingPongBuffersKeepTheirs) {
  // One pair of addresses in 16 shares a path, and the addresses differ from run to run.
  unsigned most = 0;
  for (int other = 1; other < 4; ++other) {
    begin("audit=sampled:budget=100");
    unsigned open = 0;
    for (int i = 0; i < 640; ++i) {
      upload(20, d[i % 2 * other], host.data(), Small);
      open += i >= 600 ? hits() : 0;
    }
    most = std::max(most, open);
  }
  EXPECT_GE(most, 2 * 36u);
}

TEST_F(TransferFastPath, NeverInFull) {
  for (int i = 0; i < 100; ++i)
    upload(20, d[0], host.data(), Small);
  EXPECT_EQ(hits(), 0u);
  EXPECT_EQ(figures().verified, 99u);
}

TEST_F(TransferFastPath, LooksAreDenseAtFirstAndThenRare) {
  begin("audit=sampled:budget=100");
  constexpr unsigned Repeats = 20000;
  unsigned at[3] = {};
  for (unsigned i = 1; i <= Repeats; ++i) {
    upload(20, d[0], host.data(), 64);
    if (i == 32 || i == 1000 || i == Repeats)
      at[i == 32 ? 0 : i == 1000 ? 1 : 2] = unsigned(figures().verified);
  }
  EXPECT_GE(at[0], 30u);
  EXPECT_LE(at[1], 31 + 60u);
  EXPECT_LE(at[2], at[1] + 60);
  EXPECT_GE(at[2], at[1] + 15) << "never none";
  EXPECT_EQ(figures().eligible, Repeats - 1);
}

TEST_F(TransferFastPath, AChangeLateInTheRunIsSeen) {
  begin("audit=sampled:budget=100");
  for (int i = 0; i < 4000; ++i)
    upload(20, d[0], host.data(), Small);
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  for (int i = 0; i < 4000; ++i) {
    host[size_t(i) % Small] ^= 1;
    upload(20, d[0], host.data(), Small);
  }
  EXPECT_EQ(finding("noop-copy").grade.text(), "advice");
}

TEST_F(TransferFastPath, SmallCopiesAndDeadOnesAreCounted) {
  begin("audit=sampled:budget=100");
  for (int i = 0; i < 500; ++i)
    upload(20, d[0], host.data(), Small);
  EXPECT_EQ(finding("small-copies").count, 500u);
  EXPECT_EQ(finding("small-copies").bytes, 500 * Small);
  // Behind the last look, nobody knows what was sent, until the memory is looked at before it goes.
  uint64_t shown = finding("noop-copy").count;
  EXPECT_GE(shown, 250u);
  EXPECT_LE(shown, 499u);
  EXPECT_TRUE(none("dead-copy")) << "one line, one finding";
  free(40, d[0]);
  EXPECT_EQ(finding("noop-copy").count, 499u);
  EXPECT_TRUE(none("dead-copy")) << "one line, one finding";
}

TEST_F(TransferFastPath, AFailedCopyIsNone) {
  begin("audit=sampled:budget=100");
  for (int i = 0; i < 40; ++i)
    upload(20, d[0], host.data(), Small);
  uint64_t eligible = figures().eligible;
  gpuinstr_site *s = site(GPUINSTR_OP_COPY, "cudaMemcpy", 20, CopySlots);
  f.copy(s, reinterpret_cast<uint64_t>(d[0]), reinterpret_cast<uint64_t>(host.data()), Small, 1);
  EXPECT_EQ(figures().eligible, eligible);
}

TEST(GovernorCharge, SomethingRemainsToLookWith) {
  constexpr uint64_t Second = 1000000000;
  OverheadBudget g(2, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  g.chargeAt(Second, Second); // far more than was earned
  EXPECT_FALSE(g.takeAt(3 * Second / 1000, Second));
  EXPECT_TRUE(g.takeAt(2 * Second / 1000, Second)) << "an eighth of 20 ms";
  g.chargeAt(1000000, 2 * Second);
  EXPECT_TRUE(g.takeAt(9 * Second / 1000, 2 * Second)) << "cheap bookkeeping costs what it costs";
}

} // namespace
