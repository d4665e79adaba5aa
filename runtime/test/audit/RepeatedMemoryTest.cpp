// Memory that is allocated and freed again and again, the short way: the ledger, the auditor, the
// idle times and the report know as much afterwards as if each call had gone the long way.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include "ledger/Ledger.h"
#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Sees all that go the long way; without a short look that is each.
struct MemoryWays : Observer {
  MemoryWays() : Observer(opBit(GPUINSTR_OP_ALLOC) | opBit(GPUINSTR_OP_FREE)) {
    addObserver(*this);
    muteObserver(*this);
  }
  void before(const Call &) override { ++calls; }
  const ShortLook *shortLook(const gpuinstr_site &) const override {
    return isForced ? nullptr : &NoLook;
  }
  bool isForced = false;
  unsigned calls = 0;
};
MemoryWays &memoryWays() {
  static MemoryWays one; // never removed
  return one;
}

struct RepeatedMemory : AuditTest {
  static constexpr unsigned Places = 5;
  static constexpr uint64_t Most = 1 << 16;
  std::vector<char> host = std::vector<char>(Most);
  std::vector<char> place[Places]; ///< at the same addresses in each run
  std::vector<char> farAway =
      std::vector<char>(8 << 20); ///< no kernel's pointer may mean what lies there
  char *at[Places] = {};
  uint64_t pointers[2] = {}; ///< where calls store what they made
  uint64_t base = 0, sequence = 0, serial = 0, generations[3] = {};

  void SetUp() override {
    table();
    memoryWays();
    for (unsigned i = 0; i < Places; ++i) {
      place[i].resize(Most);
      at[i] = place[i].data();
    }
    begin("audit=sampled:budget=100", false);
  }
  void TearDown() override {
    muteObserver(memoryWays());
    FakeDriver::reset();
    AuditTest::TearDown();
  }
  void begin(const char *options, bool isForced) {
    start(options);
    muteObserver(memoryWays());
    memoryWays().isForced = isForced;
    FakeDriver::reset();
    alloc(30, Bytes, GPUINSTR_RES_DEVICE, farAway.data() + farAway.size() / 2); // CUDA is up
    syncDevice();
    unmuteObserver(memoryWays());
    memoryWays().calls = 0;
    Self->launches.last.launched = false;
    Self->idleTicks = {};
    audit::auditStateOf(*Self).freeing = nullptr;
    base = audit::Ranges::launches;
    sequence = ledger().lastSequence();
    serial = audit::Ranges::lastSerial();
    generations[0] = ledger().generation();
    generations[1] = audit::Ranges::generation;
    generations[2] = audit::Ranges::hostGeneration;
  }
  void allocateBy(Function &by, unsigned line, uint64_t *pointer, const char *made, uint64_t bytes,
                  int result = 0, const std::function<void()> &meanwhile = {}) {
    by.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(pointer);
    by.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    by.call(site(GPUINSTR_OP_ALLOC, "cudaMalloc", line, AllocSlots, GPUINSTR_RES_DEVICE), [&] {
      if (meanwhile)
        meanwhile();
      if (result == 0) {
        *pointer = bytes ? reinterpret_cast<uint64_t>(made) : 0;
        FakeDriver::alloc(*pointer, bytes);
      }
      return result;
    });
  }
  void freeBy(Function &by, unsigned line, const char *memory, int result = 0,
              const std::function<void()> &meanwhile = {}) {
    by.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(memory);
    by.call(site(GPUINSTR_OP_FREE, "cudaFree", line, FreeSlots, GPUINSTR_RES_DEVICE), [&] {
      if (result == 0)
        FakeDriver::free(reinterpret_cast<uint64_t>(memory));
      if (meanwhile)
        meanwhile();
      return result;
    });
  }
  void allocate(unsigned line, unsigned i, uint64_t bytes, int result = 0) {
    allocateBy(f, line, &pointers[i % 2], at[i], bytes, result);
  }
  void release(unsigned line, unsigned i, int result = 0) { freeBy(f, line, at[i], result); }
  /// Of memory that nobody uses, that is told alone.
  void use() { launch("reads", {parameter(Reads)}, {at[0]}); }
  /// Another thread is given the place that a free in progress has given back.
  void releaseBeside(unsigned line, unsigned i) {
    freeBy(f, line, at[i], 0, [&] {
      std::thread([&] {
        Function by;
        uint64_t pointer = 0;
        allocateBy(by, 31, &pointer, at[i], 512);
      }).join();
    });
  }
  void interrupted(bool isFree, unsigned i) {
    const auto fails = [] { throw std::runtime_error("of the program"); };
    try {
      if (isFree)
        freeBy(f, 41, at[i], 1, fails);
      else
        allocateBy(f, 11, &pointers[0], at[i], 256, 1, fails);
    } catch (const std::runtime_error &) {
    }
  }

  void anyCall(std::mt19937 &random) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const unsigned i = below(Places), what = below(100);
    const uint64_t bytes = below(5) ? 4096 : 100 * below(3);
    if (what < 25)
      allocate(10 + below(2), i, bytes, below(15) == 0 ? 2 : 0); // maybe where one lives
    else if (what < 50)
      release(40 + below(2), i, below(15) == 0 ? 1 : 0); // maybe of none
    else if (what < 53)
      freeBy(f, 40, nullptr);
    else if (what < 60)
      syncDevice();
    else if (what < 64)
      upload(50, at[i], host.data(), 128);
    else if (what < 68)
      launch("writer", {parameter(Writes)}, {at[i]});
    else if (what < 70)
      simple(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 51);
    else if (what < 73)
      releaseBeside(40, i);
    else if (what < 76)
      interrupted(below(2), i);
    else if (what < 78)
      free(42, alloc(12, 512, GPUINSTR_RES_PINNED, host.data()), GPUINSTR_RES_PINNED);
    else
      for (int k = 0; k < 12; ++k) { // as in a loop
        allocate(13, i, 2048);
        if (what % 4 == 0)
          launch("reader", {parameter(Reads)}, {at[i]});
        release(43, i);
      }
  }

  static std::string sum(std::initializer_list<uint64_t> values) {
    std::string text;
    for (uint64_t value : values)
      text += std::to_string(value) + " ";
    return text;
  }
  std::string known(const Allocation &a) const {
    return sum({a.address, a.bytes, a.resource, uint64_t(a.device), a.site, a.caller,
                a.sequence - sequence, a.slot, a.context, a.pool, a.bufferId != 0, a.counted,
                a.listed, a.tally != nullptr});
  }
  std::string known(const Freed &freed) const {
    return sum({freed.address, freed.bytes, freed.site, freed.caller, freed.allocSite,
                freed.allocCaller, freed.resource, freed.async});
  }
  std::string known(audit::Range &r) const {
    auto since = [&](audit::Event event) {
      return event ? (event >> audit::EventsBits) - base : ~uint64_t(0);
    };
    // By all threads: those that end may leave their place to a new one, or not.
    const audit::Churn *churn = r.churn && r.churn->all ? r.churn->all : r.churn;
    return sum({r.base,
                r.bytes,
                r.bytesAsked,
                r.resource,
                r.serial - serial,
                r.context,
                uint64_t(r.device),
                r.site,
                r.caller,
                r.beingFreed,
                r.used,
                r.unreadable,
                r.ofPool,
                r.keys.size(),
                since(r.usage.allocated),
                since(r.usage.first),
                churn ? churn->cycles : 0,
                churn ? churn->live : 0,
                churn ? churn->freeSite : 0,
                churn && churn->overlapped});
  }
  std::string known() {
    audit::Auditor &a = audit::auditor();
    audit::ThreadAuditState &local = audit::auditStateOf(*Self);
    std::string text;
    for (unsigned i = 0; i < Places; ++i) {
      const uint64_t address = reinterpret_cast<uint64_t>(at[i]);
      auto live = ledger().find(address);
      auto freed = ledger().findFreed(address);
      audit::Range *range = a.ranges.find(address);
      text += "live " + (live ? known(*live) : "") + "freed " + (freed ? known(*freed) : "") +
              "range " + (range ? known(*range) : "") + "\n";
    }
    for (const OwnerRow &row : ledger().holdersNow())
      text += sum({row.bytes, row.count, row.site});
    for (uint64_t &pointer : pointers)
      text += ledger().findFreedSlot(reinterpret_cast<uint64_t>(&pointer), pointer) ? "s" : "-";
    text += sum({ledger().generation() - generations[0], audit::Ranges::generation - generations[1],
                 audit::Ranges::hostGeneration - generations[2], local.context,
                 local.freeing != nullptr, local.waitedAt, local.waitedQuietly,
                 uint64_t(local.row.direction), Self->drainedTicks != 0, Self->drainedBy,
                 Self->drainedOneStream, Self->idleTicks[0] != 0, Self->idleTicks[1] != 0});
    const bool isLeft = Self->depth != 0; // by an exception: how it was entered shows
    return text + (isLeft ? "left" : std::to_string(int(Self->fastPath)));
  }

  /// After each of many calls; then what the report says but times.
  std::vector<std::string> run(const char *options, unsigned seed, bool isForced) {
    begin(options, isForced);
    std::mt19937 random(seed);
    std::vector<std::string> all;
    for (int i = 0; i < 200; ++i) {
      earn(); // however slow this machine is
      anyCall(random);
      all.push_back(known());
    }
    profile::Profile p = profileNow();
    for (const profile::Finding &found : p.findings)
      all.push_back(found.pattern.text() + " " + found.grade.text() + " " + found.message + " x" +
                    std::to_string(found.count) + " " + std::to_string(found.bytes));
    std::sort(all.end() - std::ptrdiff_t(p.findings.size()), all.end());
    for (const profile::IdleGap &gap : p.breakdown.idle)
      all.push_back(gap.from + " " + gap.to + " " + std::to_string(gap.count));
    for (unsigned line : {10, 11, 13, 31, 40, 41, 43})
      if (const profile::Site *row = siteAtLine(p, line))
        all.push_back(sum({line, row->calls, row->failed, row->bytes, row->host.count}));
    return all;
  }
};

TEST_F(RepeatedMemory, LeavesBehindWhatTheLongWayDoes) {
  for (const char *options : {"audit=sampled:budget=100", "audit=full"})
    for (unsigned seed = 0; seed < 36; ++seed) {
      std::vector<std::string> shortly = run(options, seed, false);
      const unsigned longCalls = memoryWays().calls;
      std::vector<std::string> atLength = run(options, seed, true);
      EXPECT_LT(longCalls + 100, memoryWays().calls) << "the short way was not taken";
      auto [one, other] = std::mismatch(shortly.begin(), shortly.end(), atLength.begin());
      if (one != shortly.end())
        FAIL() << options << ", seed " << seed << ", call " << one - shortly.begin() << '\n'
               << *one << "\nthe long way:\n"
               << *other;
    }
}

/// How many of the calls go the long way, once it is known how they go.
struct WhichWayOfMemory : RepeatedMemory {
  template <class Work> unsigned longOf(int count, Work work) {
    work();
    work();
    memoryWays().calls = 0;
    for (int i = 0; i < count; ++i)
      work();
    return memoryWays().calls;
  }
};

TEST_F(WhichWayOfMemory, AfterAWaitAsWithout) {
  auto pair = [&] { allocate(10, 0, 4096), release(40, 0); };
  EXPECT_TRUE(Self->drainedTicks);
  EXPECT_EQ(longOf(50, pair), 0u);
  EXPECT_TRUE(Self->drainedTicks) << "they give the device nothing to do";
  launch("writer", {parameter(Writes)}, {at[1]});
  EXPECT_FALSE(Self->drainedTicks);
  EXPECT_EQ(longOf(50, pair), 0u);
  EXPECT_FALSE(Self->drainedTicks);
}

TEST_F(WhichWayOfMemory, FailuresGoTheLongWayInTheirLeave) {
  longOf(10, [&] { allocate(10, 0, 4096), release(40, 0); });
  allocate(10, 0, 4096, 2);
  release(40, 0, 1);
  release(40, 0, 1);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 10)->failed, 1u);
  EXPECT_EQ(siteAtLine(p, 10)->bytes, 12 * 4096u);
  EXPECT_EQ(findings(p, "out-of-memory").size(), 1u);
  EXPECT_EQ(findings(p, "double-free").at(0).count, 2u);
}

TEST_F(WhichWayOfMemory, WhatCopiesWentToIsLookedAtBeforeItGoes) {
  EXPECT_EQ(longOf(20,
                   [&] {
                     allocate(10, 0, 4096);
                     upload(50, at[0], host.data(), 4096);
                     release(40, 0);
                   }),
            20u);
}

TEST_F(WhichWayOfMemory, OtherMemoryThanTheDevices) {
  EXPECT_EQ(longOf(10,
                   [&] {
                     alloc(60, 512, GPUINSTR_RES_MANAGED, host.data());
                     free(61, host.data(), GPUINSTR_RES_MANAGED);
                   }),
            20u);
}

TEST_F(WhichWayOfMemory, FreesBesideACapture) {
  auto pair = [&] { allocate(10, 0, 4096), release(40, 0); };
  EXPECT_EQ(longOf(10, pair), 0u);
  cuda::Captures.beginning();
  EXPECT_EQ(longOf(10, pair), 10u);
  cuda::Captures.beginFailed();
  EXPECT_EQ(longOf(10, pair), 0u);
}

TEST_F(WhichWayOfMemory, TheDriverIsAskedEachTimeWhereItIs) {
  longOf(10, [&] { allocate(10, 0, 4096), release(40, 0); });
  for (int device : {1, 0, 2}) {
    FakeDriver::Device = device;
    allocate(10, 0, 4096);
    auto live = ledger().find(reinterpret_cast<uint64_t>(at[0]));
    ASSERT_TRUE(live);
    EXPECT_EQ(live->device, device);
    EXPECT_EQ(live->context, 0x1000u + unsigned(device));
    EXPECT_NE(live->bufferId, 0u);
    release(40, 0);
  }
  FakeDriver::Questions = 0;
  EXPECT_EQ(longOf(10, [&] { allocate(10, 0, 4096), release(40, 0); }), 0u);
  EXPECT_EQ(FakeDriver::Questions.load(), 12 * 2);
}

TEST_F(WhichWayOfMemory, ChurnIsFound) {
  for (int i = 0; i < 30; ++i) {
    allocate(10, 0, 4096);
    use();
    if (i != 29)
      release(40, 0);
  }
  EXPECT_EQ(finding("alloc-churn").count, 29u);
  EXPECT_TRUE(ledger().find(reinterpret_cast<uint64_t>(at[0])));
}

TEST_F(WhichWayOfMemory, ThreadsThatHandAddressesOnChurnEachByItself) {
  for (int i = 0; i < 6; ++i) {
    allocate(10, 0, 4096);
    use();
    freeBy(f, 40, at[0], 0, [&] {
      std::thread([&] {
        Function by;
        uint64_t pointer = 0;
        allocateBy(by, 10, &pointer, at[0], 4096);
        use();
        freeBy(by, 40, at[0]);
      }).join();
    });
  }
  EXPECT_GE(finding("alloc-churn").count, 6u);
}

} // namespace
