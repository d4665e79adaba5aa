// Buffers that a line makes, fills and frees again and again; kernels that it launches again.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include <functional>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Anew : VariedBytes {
  void fillAnew(int times, const std::function<bool(int)> &isSeenAtTheEnd) {
    auto with = audit::EngineSource;
    for (int i = 0; i < times; ++i) {
      char *d = alloc(10);
      upload(20, d, host.data());
      read(d);
      if (!isSeenAtTheEnd(i))
        audit::EngineSource = [](bool) { return static_cast<audit::DeviceHasher *>(nullptr); };
      free(21, d);
      audit::EngineSource = with;
    }
  }
  /// Nothing is earned: what is looked at, the purse of first looks pays for.
  void startPoor() {
    AuditTest::TearDown();
    start("audit=sampled:budget=2");
    engine.launchNs = 1000;
    overheadBudget().correct(100000000);
  }
};

/// A buffer that is made anew each time and filled in four pieces.
struct AnewInPieces : Anew {
  static constexpr unsigned Pieces = 4;
  std::vector<char> all = std::vector<char>(Pieces * Bytes);
  void SetUp() override {
    Anew::SetUp();
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = char(i * 13 + i / 253 + i / Bytes * 5);
  }
  const char *piece(unsigned i) const { return all.data() + i % Pieces * Bytes; }
  void rounds(int times, const std::function<void(char *, int)> &fill) {
    for (int i = 0; i < times; ++i) {
      char *d = alloc(10, Pieces * Bytes);
      fill(d, i);
      read(d);
      free(21, d);
    }
  }
};

TEST_F(AnewInPieces, EachBringsWhatTheLastBufferHeldThere) {
  rounds(5, [&](char *d, int) {
    for (unsigned i = 0; i < Pieces; ++i)
      upload(20, d + i * Bytes, piece(i));
  });
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.count, 4 * Pieces);
  EXPECT_EQ(found.checked, found.unchanged);
}

TEST_F(AnewInPieces, OneOfThemIsAnother) {
  rounds(5, [&](char *d, int round) {
    all[3 * Bytes] = char(round);
    for (unsigned i = 0; i < Pieces; ++i)
      upload(20, d + i * Bytes, piece(i));
  });
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 4 * (Pieces - 1));
}

TEST_F(AnewInPieces, AKernelWritesBetweenTheLastOneAndTheFree) {
  rounds(5, [&](char *d, int) {
    for (unsigned i = 0; i < Pieces; ++i)
      upload(20, d + i * Bytes, piece(i));
    launch("writer", {parameter(Writes)}, {d});
    d[Bytes] ^= 1;
  });
  EXPECT_TRUE(none("reupload") || finding("reupload").grade.text() != "proven");
}

TEST_F(AnewInPieces, TheyChangePlaces) {
  rounds(5, [&](char *d, int round) {
    for (unsigned i = 0; i < Pieces; ++i)
      upload(20, d + i * Bytes, piece(i + unsigned(round)));
  });
  EXPECT_TRUE(none("reupload") || finding("reupload").grade.text() != "proven");
}

TEST_F(AnewInPieces, OnePieceMoreEachTime) {
  rounds(4, [&](char *d, int round) {
    for (unsigned i = 0; i <= unsigned(round); ++i)
      upload(20, d + i * Bytes, piece(i));
  });
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.count, 1u + 2 + 3);
  EXPECT_EQ(found.checked, found.unchanged) << "a place that no buffer had filled before is new";
}

/// What a function does that keeps its state on the host: fill, run, bring back, free.
struct KeptOnTheHost : Anew {
  void steps(int times, const std::function<void(char *)> &between, uint64_t bytes = Bytes) {
    for (int i = 0; i < times; ++i) {
      char *d = alloc(10, bytes);
      upload(20, d, host.data(), bytes);
      launch("updates", {parameter(Reads | Writes, 8)}, {d}, 0, GPUINSTR_KERNEL_ENDS);
      for (uint64_t k = 0; k < bytes; ++k)
        d[k] = char(d[k] + k % 7 + 1);
      download(21, host.data(), d, bytes);
      between(d);
      free(22, d);
    }
  }
};

TEST_F(KeptOnTheHost, BackUnchangedIsARoundTrip) {
  steps(8, [](char *) {});
  profile::Finding found = finding("roundtrip");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_EQ(found.count, 6u) << "from the second buffer on it is known that they are made anew";
  EXPECT_EQ(siteAtLine(profileNow(), 20)->id, found.site);
  EXPECT_NE(found.fix.find("keep the memory"), std::string::npos) << found.fix;
}

TEST_F(KeptOnTheHost, TheHostWorksOnIt) {
  steps(8, [&](char *) { host[7] ^= 1; });
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(KeptOnTheHost, TheSameAllTheTimeIsToldOnce) {
  for (int i = 0; i < 8; ++i) {
    char *d = alloc(10);
    upload(20, d, host.data());
    launch("looks", {parameter(Reads)}, {d}, 0, GPUINSTR_KERNEL_ENDS);
    download(21, host.data(), d);
    free(22, d);
  }
  profile::Profile p = profileNow();
  unsigned ofTheUpload = 0;
  for (const profile::Finding &f : p.findings)
    ofTheUpload += f.site == siteAtLine(p, 20)->id;
  EXPECT_EQ(ofTheUpload, 1u);
}

TEST_F(KeptOnTheHost, WrittenBeforeTheFree) {
  steps(8, [&](char *d) { launch("last", {parameter(Writes)}, {d}); });
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(KeptOnTheHost, SmallOnesAreParameters) {
  steps(
      8, [](char *) {}, 4096);
  EXPECT_TRUE(none("roundtrip"));
}

/// Two functions that make their buffers anew, and hand on what they work at by way of the host.
struct HandedOn : Anew {
  void startWith(const char *options) {
    AuditTest::TearDown();
    start(options);
  }
  void steps(const std::function<void(int)> &between) {
    for (int i = 0; i < 8; ++i) {
      char *made = alloc(10);
      launch("makes", {parameter(Writes)}, {made}, 0, GPUINSTR_KERNEL_ENDS);
      for (uint64_t k = 0; k < Bytes; ++k)
        made[k] = char(k * 3 + k / 200 + uint64_t(i));
      download(20, host.data(), made);
      free(11, made);
      between(i);
      char *used = alloc(12);
      upload(30, used, host.data());
      read(used);
      free(13, used);
    }
  }
  /// Line 20 sends what is other each time, and so does line 30, to buffers of their own.
  void send(int times, const std::function<void(int)> &between) {
    for (int i = 0; i < times; ++i) {
      host[5] = char(i);
      host[6] = char(i >> 8);
      fill(20);
      between(i);
      fill(30);
    }
  }
  void fill(unsigned line) {
    char *d = alloc(line + 1);
    upload(line, d, host.data());
    read(d);
    free(line + 2, d);
  }
};

TEST_F(HandedOn, WhatTheDeviceIsAskedAboutWentTheOtherWay) {
  for (const char *options : {"audit=full", "audit=sampled:budget=100"}) {
    startWith(options);
    steps([](int) {});
    profile::Finding found = finding("roundtrip");
    EXPECT_EQ(found.grade.text(), "likely");
    EXPECT_GE(found.count, 6u) << options;
    EXPECT_EQ(siteAtLine(profileNow(), 30)->id, found.site);
  }
}

TEST_F(HandedOn, TheHostWorksOnIt) {
  steps([&](int) { host[7] ^= 1; });
  EXPECT_TRUE(none("roundtrip"));
  EXPECT_TRUE(none("reupload"));
}

TEST_F(HandedOn, WhatTheDeviceIsAskedAboutAnotherLineHadSent) {
  for (const char *options : {"audit=full", "audit=sampled:budget=100"}) {
    startWith(options);
    send(8, [](int) {});
    profile::Finding found = finding("reupload");
    EXPECT_EQ(found.grade.text(), "proven") << "both buffers were looked at";
    EXPECT_GE(found.count, 7u) << options;
    EXPECT_EQ(siteAtLine(profileNow(), 30)->id, found.site);
  }
}

TEST_F(HandedOn, OnlyOnceTheSame) {
  send(20, [&](int i) { host[7] = i ? char(i * 5) : host[7]; });
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.count, 1u) << found.message;
  EXPECT_EQ(found.checked, 19u) << "the first new one stands for what has to be sent once";
  EXPECT_EQ(found.unchanged, 1u);
  EXPECT_NE(found.message.find("1 of 19 uploads looked at"), std::string::npos) << found.message;
}

/// What one buffer holds goes to another one by way of the host.
struct Staged : VariedBytes {
  char *from = nullptr, *to = nullptr;
  void SetUp() override {
    VariedBytes::SetUp();
    from = alloc(10);
    to = alloc(11);
  }
  void steps(const std::function<void()> &between, uint64_t bytes = Bytes) {
    for (int i = 0; i < 8; ++i) {
      launch("makes", {parameter(Writes)}, {from}, 0, GPUINSTR_KERNEL_ENDS);
      for (uint64_t k = 0; k < Bytes; ++k)
        from[k] = char(k * 3 + k / 200 + uint64_t(i));
      download(30, host.data(), from, bytes);
      between();
      upload(31, to, host.data(), bytes);
      launch("uses", {parameter(Reads)}, {to}, 0, GPUINSTR_KERNEL_ENDS);
    }
  }
};

TEST_F(Staged, ByWayOfTheHost) {
  steps([] {});
  profile::Finding found = finding("roundtrip");
  EXPECT_EQ(found.grade.text(), "likely");
  EXPECT_GE(found.count, 6u);
  EXPECT_EQ(siteAtLine(profileNow(), 31)->id, found.site);
  EXPECT_NE(found.fix.find("copy on the device"), std::string::npos) << found.fix;
}

TEST_F(Staged, ByDefault) {
  TearDown();
  start("audit=sampled:budget=100");
  from = alloc(10);
  to = alloc(11);
  steps([] {});
  EXPECT_EQ(finding("roundtrip").grade.text(), "likely");
}

TEST_F(Staged, TheHostWorksOnIt) {
  steps([&] { host[9] ^= 1; });
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(Staged, TheSourceIsWrittenMeanwhile) {
  steps([&] { launch("goesOn", {parameter(Writes)}, {from}); });
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(Staged, ResultsAreSmall) {
  steps([] {}, 4096);
  EXPECT_TRUE(none("roundtrip"));
}

TEST_F(Anew, OnADeviceThatOthersUseLooksStayWithinTheBudget) {
  AuditTest::TearDown();
  start("audit=sampled:budget=2");
  engine.busyMs = 3; // until its turn comes, though nothing of this process is under way
  for (int i = 0; i < 150; ++i) {
    char *d = alloc(10);
    upload(20, d, host.data());
    free(21, d);
  }
  EXPECT_LT(engine.waits, 60u) << "the first ones, and hardly any more";
  EXPECT_GT(totalOwnTicks().own, engine.waits * uint64_t(2.5e6 / nsPerTick())) << "told as ours";
}

TEST_F(Anew, ABufferThatNobodySawGoSpoilsNoProof) {
  fillAnew(7, [](int i) { return i != 2 && i != 4; });
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_EQ(found.counted, 4u) << "without the first, and those that came after the two";
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(found.checked, 6u);
  EXPECT_EQ(found.unchanged, 6u);
}

/// The very first buffer was another line's: what to change is where the others go.
TEST_F(Anew, TheFreeThatIsNamedIsTheOneOfMost) {
  audit::EngineSource = [](bool) { return static_cast<audit::DeviceHasher *>(nullptr); };
  char *first = alloc(10);
  upload(30, first, host.data());
  free(31, first);
  for (int i = 0; i < 8; ++i) {
    char *d = alloc(11);
    upload(20, d, host.data());
    read(d);
    free(21, d);
  }
  profile::Profile profile = profileNow();
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.count, 8u);
  EXPECT_EQ(siteAtLine(profile, 21)->id, found.related) << found.message;
}

TEST_F(Anew, WhereNoneWasSeenToTheEndNothingIsProven) {
  fillAnew(7, [](int) { return false; });
  EXPECT_EQ(finding("reupload").grade.text(), "likely");
}

TEST_F(Anew, TheFindingSaysWhatReadThem) {
  fillAnew(4, [](int) { return true; });
  profile::Finding found = finding("reupload");
  ASSERT_EQ(found.kernels.size(), 1u);
  EXPECT_EQ(found.kernels[0].access, "reads");
  EXPECT_GT(found.last_look_ns, 0u);
}

TEST_F(Anew, TheFirstLooksOfALineDoNotGrowWithItsBuffers) {
  startPoor();
  fillAnew(12, [](int) { return true; });
  uint64_t hashes = engine.hashes;
  EXPECT_GE(hashes, 6u);
  EXPECT_EQ(finding("reupload").grade.text(), "proven");
  fillAnew(200, [](int) { return true; });
  EXPECT_LE(engine.hashes, 2 * hashes);
}

TEST_F(Anew, BuffersThatLiveHaveTheirOwn) {
  startPoor();
  for (int b = 0; b < 20; ++b) {
    char *d = alloc(10);
    for (int i = 0; i < 4; ++i)
      upload(20, d, host.data());
  }
  EXPECT_EQ(finding("noop-copy").checked, 60u);
}

TEST_F(Anew, WhatBringsOtherBytesEachTimeHasFewerOfThem) {
  startPoor();
  char *same = alloc(10), *news = alloc(11);
  for (int i = 0; i < 12; ++i)
    upload(20, same, host.data());
  const uint64_t ofSame = engine.hashes;
  for (int i = 0; i < 12; ++i) {
    ++host[size_t(i)];
    upload(21, news, host.data());
  }
  EXPECT_LT(engine.hashes - ofSame, ofSame);
  EXPECT_GE(finding("noop-copy").checked, 3u);
}

TEST_F(Anew, OnlyTheFirstBuffersOfALineAreSearchedForAddressesFromThePurse) {
  startPoor();
  std::vector<char> large(1 << 17, 'x');
  auto costOf = [&](int buffers) {
    const uint64_t before = ownCostNs(OwnConsumer::Addresses, 0);
    for (int i = 0; i < buffers; ++i) {
      char *d = alloc(10, large.size());
      upload(20, d, large.data(), large.size());
      read(d);
      free(21, d);
    }
    return ownCostNs(OwnConsumer::Addresses, 0) - before;
  };
  EXPECT_GT(costOf(4), 0u);
  costOf(8);
  EXPECT_EQ(costOf(50), 0u);
}

/// Each question to the driver costs more than what else an allocation takes.
TEST_F(Anew, AnEngineThatCannotBeHadIsAskedForRarely) {
  static unsigned asked;
  asked = 0;
  audit::EngineSource = [](bool create) -> audit::DeviceHasher * {
    asked += create;
    return nullptr;
  };
  for (int i = 0; i < 130; ++i)
    free(11, alloc(10));
  EXPECT_GE(asked, 3u) << "it may be had later";
  EXPECT_LE(asked, 4u);
  static FakeEngine *later = &engine;
  audit::EngineSource = [](bool create) -> audit::DeviceHasher * {
    asked += create;
    return later;
  };
  asked = 0;
  for (int i = 0; i < 130; ++i)
    free(11, alloc(10));
  EXPECT_EQ(asked, 0u) << "seen, and not asked for again";
}

/// Launches of a kernel that this line has launched before.
struct LaunchesAnew : AuditTest {};

/// What a launch of the same kernel got before says nothing of memory that was made since.
TEST_F(LaunchesAnew, ALaunchLikeTheLastOneUsesWhatLiesThereNow) {
  std::vector<char> place(2 * Bytes);
  gpuinstr_param any = parameter(GPUINSTR_ACCESS_UNKNOWN);
  for (unsigned line : {10u, 11u}) {
    char *d = alloc(line, Bytes, GPUINSTR_RES_DEVICE, place.data());
    for (int i = 0; i < 4; ++i)
      launch("anything", {any}, {d});
    free(30, d);
  }
  EXPECT_TRUE(none("unused-allocation"));
  // The twin: nobody launches.
  free(31, alloc(12, Bytes, GPUINSTR_RES_DEVICE, place.data()));
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

TEST_F(LaunchesAnew, KernelsThatMayReadDoSoAtEachLaunch) {
  gpuinstr_param any = parameter(GPUINSTR_ACCESS_UNKNOWN);
  char *d = alloc(10), *e = alloc(11);
  for (int i = 0; i < 6; ++i) {
    set(20, d, i);
    set(21, e, i);
    launch("anything", {any, any}, {i % 2 ? d : e, i % 2 ? e : d + 8});
  }
  EXPECT_TRUE(none("dead-copy"));
  set(22, e, 1);
  set(23, e, 2);
  EXPECT_EQ(finding("dead-copy").count, 1u);
}

/// Where a line goes through ever new buffers faster than they can be looked at, a quarter is
/// enough.
TEST_F(Anew, LinesAreSparedThatAreRefused) {
  AuditTest::TearDown();
  start("audit=sampled:budget=1");
  const auto isSpared = [&](int uploads, bool isPoor) {
    char *d = alloc(10);
    for (int i = 0; i < uploads; ++i) {
      earn(), earn(); // what was spent beyond all that there was, and more
      while (isPoor && overheadBudget().takeFirst(100000))
        ;
      if (isPoor)
        overheadBudget().correct(OverheadBudget::MaxStockNs);
      upload(20, d, host.data());
    }
    const bool found = audit::auditor().ranges.find(uint64_t(d))->keys.front().key->isSpared;
    free(21, d);
    return found;
  };
  EXPECT_FALSE(isSpared(400, true));
  EXPECT_TRUE(isSpared(400, true));
  audit::Auditor &a = audit::auditor();
  audit::Key spared;
  spared.isAnew = spared.isSpared = true;
  spared.firstLooks = 255;
  earn(), earn();
  EXPECT_TRUE(audit::affordLook(a, spared, 1000));
  a.spared.correct(OverheadBudget::MaxStockNs);
  EXPECT_FALSE(audit::affordLook(a, spared, 1000));
  spared.isSpared = false;
  EXPECT_TRUE(audit::affordLook(a, spared, 1000));
  EXPECT_TRUE(isSpared(400, false));
  EXPECT_FALSE(isSpared(4, false)) << "the last one's could be afforded";
}

} // namespace
