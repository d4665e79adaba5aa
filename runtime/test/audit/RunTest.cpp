// Repeats of one copy or set directly behind each other are added up, and count once anyone looks.
// SPDX-License-Identifier: Apache-2.0
#include "audit/repeats/Run.h"
#include "AuditSupport.h"
#include "audit/AuditPart.h"
#include "audit/state/ThreadAuditState.h"
#include "audit/state/WasteFindings.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Run : AuditTest {
  static constexpr uint64_t Small = 4096;
  std::vector<char> host = std::vector<char>(Bytes);
  std::vector<char> place[2] = {std::vector<char>(Bytes), std::vector<char>(Bytes)};
  char *d[2] = {};

  void TearDown() override {
    audit::FastPathsClosed = false;
    AuditTest::TearDown();
  }
  void begin() {
    start("audit=sampled:budget=100");
    audit::auditStateOf(*thisThread()).row = audit::CopyRows(); // a former run's
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 31 + i / 251);
    for (int i = 0; i < 2; ++i)
      d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
    alloc(15, Bytes, GPUINSTR_RES_PINNED, host.data());
  }
  void repeat(int times) {
    for (int i = 0; i < times; ++i) {
      earn(); // however slow this machine is
      uploadAsync(20, d[0], host.data(), 0, Small);
    }
  }
  /// Added, and not settled yet.
  static uint32_t open() {
    const auto &run = audit::AuditHot.run;
    return audit::AuditHot.runIsOpen ? run.added - run.settled : 0;
  }
  void beginRun() {
    begin();
    repeat(600);
    for (int i = 0; i < 200 && open() < 8; ++i)
      repeat(1);
    ASSERT_GE(open(), 8u);
  }
  /// What is known after `work` that comes behind a run, and after a further repeat.
  std::string known(bool closed, const std::function<void()> &work) {
    begin();
    audit::FastPathsClosed = closed;
    std::string text;
    for (int turn = 0; turn < 12; ++turn) {
      repeat(70 + 5 * turn);
      work();
      repeat(turn % 3);
      const audit::Figures f = audit::auditFigures();
      text += std::to_string(f.eligible) + " " + std::to_string(f.all.count) + " " +
              std::to_string(f.all.bytes) + "; ";
    }
    std::vector<std::string> findings;
    for (const profile::Finding &found : profileNow().findings)
      findings.push_back("\n" + found.pattern.text() + " " + found.grade.text() + " x" +
                         std::to_string(found.count) + " " + std::to_string(found.bytes) + " " +
                         found.message);
    std::sort(findings.begin(), findings.end());
    for (const std::string &finding : findings)
      text += finding;
    return text;
  }
  void expectSame(const std::function<void()> &work) {
    EXPECT_EQ(known(false, work), known(true, work));
  }
  /// Who asks sees all of an open run.
  void expectSeen() {
    const uint32_t added = open();
    const uint64_t before = audit::auditor().waste.figures.eligible; // without the lock
    EXPECT_EQ(figures().eligible, before + added);
    EXPECT_EQ(open(), 0u);
  }
  void expectBounded(const std::function<void()> &next) {
    uint32_t most = 0;
    for (int i = 0; i < 1000; ++i, most = std::max(most, open()))
      next();
    EXPECT_LE(most, 64u);
    EXPECT_GE(most, 32u);
  }
};

TEST_F(Run, WhoAsksSeesAllOfIt) {
  beginRun();
  expectSeen();
}

TEST_F(Run, IsOfBoundedLength) {
  beginRun();
  expectBounded([&] { repeat(1); });
}

TEST_F(Run, PairsAreNone) {
  begin();
  unsigned begun = 0;
  for (int i = 0; i < 400; ++i) {
    repeat(2);
    begun += audit::AuditHot.runIsOpen != 0;
    uploadAsync(21, d[1], host.data(), 0, Small);
  }
  EXPECT_LT(begun, 60u);
  repeat(100);
  EXPECT_GT(begun, 0u) << "but now and then";
  repeat(200);
  uint32_t most = 0;
  for (int i = 0; i < 200; ++i, most = std::max(most, open()))
    repeat(1);
  EXPECT_GE(most, 16u) << "longer rows are seen";
}

TEST_F(Run, NothingElseComesBetween) {
  const char *other = host.data() + 2 * Small;
  expectSame([] {});
  expectSame([&] { launch("writer", {parameter(Writes)}, {d[0]}); });
  expectSame([&] { launch("reader", {parameter(Reads)}, {d[0]}); });
  expectSame([&] { launch("reader", {parameter(Reads)}, {d[1]}); });
  expectSame([&] { launch("nothing", {}, {}); });
  expectSame([&] { uploadAsync(21, d[0], other, 0, Small); });
  expectSame([&] { uploadAsync(21, d[1], host.data(), 0, Small); });
  expectSame([&] { download(22, host.data() + 4 * Small, d[0], Small); });
  expectSame([&] { set(23, d[0], 0, Small); });
  expectSame([&] { syncStream(0); });
  expectSame([&] { syncDevice(), syncDevice(); });
  expectSame([&] {
    free(40, d[0]);
    d[0] = alloc(10, Bytes, GPUINSTR_RES_DEVICE, place[0].data());
  });
  expectSame([&] {
    free(41, d[1]);
    d[1] = alloc(11, Bytes, GPUINSTR_RES_DEVICE, place[1].data());
  });
  expectSame([&] { alloc(12, Bytes); });
}

/// Rounds: a kernel, and a download of what it has found.
struct Rounds : Run {
  float found = 0;

  void round(const char *kernel = "writer", uint8_t access = Writes) {
    earn();
    launch(kernel, {parameter(access)}, {d[0]});
    download(22, &found, d[0], sizeof found);
  }
  void rounds(int times) {
    for (int i = 0; i < times; ++i)
      round();
  }
  void beginRounds() {
    begin();
    rounds(600);
    for (int i = 0; i < 200 && open() < 8; ++i)
      round();
    ASSERT_GE(open(), 8u);
  }
  const audit::Key *keyOfRounds() const {
    return audit::auditor().ranges.find(reinterpret_cast<uint64_t>(d[0]))->keys.begin()->key;
  }
  void expectSameOf(const std::function<void()> &work) {
    auto all = [&] {
      rounds(40);
      work();
      rounds(3);
      work();
    };
    expectSame(all);
  }
};

TEST_F(Rounds, AreSeenByWhoAsks) {
  beginRounds();
  expectSeen();
}

TEST_F(Rounds, AreOfBoundedLength) {
  beginRounds();
  expectBounded([&] { round(); });
}

/// One more launch is part of the next round; one elsewhere, or a download without one, is not.
TEST_F(Rounds, AreOfTheirOwnStream) {
  auto others = [&] {
    launch("nothing", {}, {});
    launch("reader", {parameter(Reads)}, {d[1]});
  };
  begin();
  others();
  rounds(700);
  while (open() < 8)
    round();
  const uint32_t added = open();
  others();
  EXPECT_EQ(open(), added);
  launch("nothing", {}, {}, 0x7711);
  EXPECT_EQ(open(), 0u);
  beginRounds();
  download(22, &found, d[0], sizeof found);
  EXPECT_EQ(open(), 0u);
}

/// What nothing has written since the last round is another thing than what a kernel has.
TEST_F(Rounds, AreAlike) {
  beginRounds();
  round("reader", Reads);
  EXPECT_EQ(open(), 0u);
  expectSame([&] {
    for (int i = 0; i < 40; ++i)
      round("reader", Reads);
    rounds(20);
    for (int i = 0; i < 40; ++i)
      i % 2 ? round("reader", Reads) : round();
  });
}

/// A kernel elsewhere is running already when one of the stream hands it the address.
TEST_F(Rounds, EndWhereOthersMayWrite) {
  begin();
  launch("writer", {parameter(Writes)}, {d[1]}, 0x7711);
  rounds(700);
  while (open() < 8)
    round();
  const audit::Key &key = *keyOfRounds();
  EXPECT_FALSE(key.mayRace);
  launch("keeper", {parameter(Reads | GPUINSTR_ACCESS_ESCAPE)}, {d[0]});
  round();
  EXPECT_EQ(open(), 0u);
  EXPECT_TRUE(key.mayRace);
}

TEST_F(Rounds, NothingElseComesBetween) {
  expectSameOf([] {});
  expectSameOf([&] { launch("writer", {parameter(Writes)}, {d[1]}); });
  expectSameOf([&] { launch("writer", {parameter(Writes)}, {d[0]}, 0x7711); });
  expectSameOf([&] { launch("nothing", {}, {}); });
  expectSameOf([&] { uploadAsync(21, d[0], host.data(), 0, Small); });
  expectSameOf([&] { download(23, &found, d[0], sizeof found); });
  expectSameOf([&] { download(24, host.data(), d[0], Small); });
  expectSameOf([&] { set(25, d[0], 0, Small); });
  expectSameOf([&] { syncStream(0); });
  expectSameOf([&] { syncDevice(), syncDevice(); });
  expectSameOf([&] {
    free(40, d[0]);
    d[0] = alloc(10, Bytes, GPUINSTR_RES_DEVICE, place[0].data());
  });
}

TEST_F(Rounds, LoseNothingWhileOthersLook) {
  beginRounds();
  const audit::Figures before = audit::auditFigures();
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> looks{0};
  std::thread spool([&] {
    for (; !ended; ++looks)
      audit::auditFigures();
  });
  constexpr uint64_t Times = 20000;
  uint64_t done = 0;
  while (done < Times || looks < 100)
    round(), ++done;
  ended = true;
  spool.join();
  const audit::Figures after = audit::auditFigures();
  EXPECT_EQ(after.all.count, before.all.count + done);
  const audit::Key &key = *keyOfRounds();
  EXPECT_EQ(key.same.repeats, key.same.interfered) << "a kernel has written before each";
}

TEST_F(Run, AFailedCallIsNone) {
  beginRun();
  const uint64_t count = audit::auditFigures().all.count;
  repeat(6);
  f.frame.site = nullptr;
  gpuinstr_site *s =
      site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 20, CopySlots, 0, GPUINSTR_SITE_ASYNC);
  f.copy(s, reinterpret_cast<uint64_t>(d[0]), reinterpret_cast<uint64_t>(host.data()), Small, 1);
  EXPECT_EQ(audit::auditFigures().all.count, count + 6);
}

TEST_F(Run, AnotherThreadComesBehindIt) {
  beginRun();
  const uint32_t added = open();
  const uint64_t before = audit::auditor().waste.figures.eligible;
  uint64_t then = 0;
  std::thread([&] {
    launch("writer", {parameter(Writes)}, {d[0]});
    then = audit::auditor().waste.figures.eligible;
  }).join();
  EXPECT_EQ(then, before + added);
  const uint64_t interfered = audit::auditor().waste.figures.eligible;
  repeat(40);
  EXPECT_EQ(open(), 0u) << "with several threads there are none";
  EXPECT_EQ(figures().eligible, interfered + 40);
}

TEST_F(Run, NothingIsLostWhileOthersLook) {
  beginRun();
  const uint64_t before = audit::auditFigures().all.count;
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> looks{0};
  std::thread spool([&] {
    for (uint64_t least = 0; !ended; ++looks) {
      const uint64_t count = audit::auditFigures().all.count;
      EXPECT_GE(count, least);
      least = count;
    }
  });
  constexpr uint64_t Times = 40000;
  uint64_t done = 0;
  while (done < Times || looks < 100) // on one core, too
    repeat(1), ++done;
  ended = true;
  spool.join();
  EXPECT_EQ(audit::auditFigures().all.count, before + done);
  EXPECT_EQ(open(), 0u);
}

TEST_F(Run, EndsWithItsThread) {
  beginRun();
  const uint32_t added = open();
  const uint64_t before = audit::auditor().waste.figures.eligible;
  thisThread()->audit.reset();
  EXPECT_EQ(open(), 0u);
  EXPECT_EQ(audit::auditor().waste.figures.eligible, before + added);
}

/// The first thread of all has ended before the fork, and another one gets its place in the child.
TEST_F(Run, AChildsOtherThreadsAreOthers) {
  beginRun();
  ThreadState *const first = thisThread();
  std::thread([&] {
    ThreadState &other = *thisThread();
    other.audit.reset();
    audit::auditor().onlyThread.store(&other);
    ThreadState *self = std::exchange(Self, first);
    audit::auditPart().childAfterFork();
    Self = self;
    launch("writer", {parameter(Writes)}, {d[0]});
    EXPECT_TRUE(audit::Auditor::severalThreads);
  }).join();
}

} // namespace
