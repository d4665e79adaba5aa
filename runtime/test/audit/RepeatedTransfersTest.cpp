// Copies and sets that come again and again, the short way: the auditor, the counters and the
// report know as much afterwards as if each had gone the long way.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include "cuda/DriverFacts.h"
#include <algorithm>
#include <functional>
#include <random>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Sees all that go the long way; without a short look that is each.
struct TransferWays : Observer {
  TransferWays() : Observer(opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_SET)) {
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
TransferWays &transferWays() {
  static TransferWays one; // never removed
  return one;
}

struct RepeatedTransfers : AuditTest {
  static constexpr unsigned Segments = 3, Buffers = 2;
  static constexpr uint64_t Place = 1 << 16;
  std::vector<char> host = std::vector<char>(Place);
  bool isPinned = false;                       ///< `host`
  std::vector<char> place[Segments + Buffers]; ///< at the same addresses in each run
  char *d[Segments + Buffers] = {};
  std::vector<uint64_t> streams;
  uint64_t base = 0, puts = 0;
  audit::Event event = 0; ///< all three: when the run began

  void SetUp() override {
    table();
    transferWays();
    for (std::vector<char> &block : place)
      block.resize(Place);
  }
  void TearDown() override {
    muteObserver(transferWays());
    AuditTest::TearDown();
  }
  void make(unsigned i) {
    d[i] = alloc(10 + i, Place, GPUINSTR_RES_DEVICE, place[i].data());
    if (i >= Segments)
      return;
    table().pool_alloc(this, d[i], 0);
    table().pool_free(this, d[i]);
  }
  void begin(const char *options, bool isForced, std::vector<uint64_t> given) {
    start(options);
    muteObserver(transferWays());
    transferWays().isForced = isForced;
    transferWays().calls = 0;
    unmuteObserver(transferWays());
    for (size_t i = 0; i < host.size(); ++i)
      host[i] = char(i * 31 + i / 251);
    for (unsigned i = 0; i < Segments + Buffers; ++i)
      place[i].assign(place[i].size(), 0), make(i);
    if (isPinned)
      alloc(20, Place, GPUINSTR_RES_PINNED, host.data());
    streams = std::move(given);
    syncDevice();                  // what the former run left in them
    for (int i = 0; i < 8000; ++i) // so that transfers share a place in both runs or in none
      audit::auditStateOf(*Self).paths.noteTaken();
    Self->launches.last.launched = false;
    base = audit::Ranges::launches, puts = audit::Streams::Puts;
    event = rangeAt(d[Segments + Buffers - 1]).usage.allocated;
  }

  // As CudaApi.def describes cuMemsetD8Async and cuMemcpyDtoDAsync.
  static constexpr uint32_t Flags = GPUINSTR_SITE_ASYNC | GPUINSTR_SITE_DRIVER,
                            Slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES) |
                                    bit(GPUINSTR_SLOT_STREAM);
  gpuinstr_site *setSite(unsigned line) {
    return site(GPUINSTR_OP_SET, "cuMemsetD8Async", line, Slots | bit(GPUINSTR_SLOT_KIND), 0,
                Flags);
  }
  void set(unsigned line, char *dst, uint64_t bytes, uint64_t stream = 0, int result = 0) {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    f.frame.slot[GPUINSTR_SLOT_KIND] = 0;
    f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.call(setSite(line), [&] {
      std::memset(dst, 0, result ? 0 : bytes);
      return result;
    });
  }
  gpuinstr_site *copySite(unsigned line, uint32_t sides) {
    return site(GPUINSTR_OP_COPY, "cuMemcpyAsync", line, Slots | bit(GPUINSTR_SLOT_SRC), 0,
                Flags | sides);
  }
  /// `meanwhile`: what another thread does while the call goes on.
  void copyBy(Function &by, gpuinstr_site *s, char *dst, const char *src, uint64_t bytes,
              uint64_t stream, int result, const std::function<void()> &meanwhile) {
    by.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    by.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
    by.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    by.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    by.call(s, [&] {
      if (meanwhile)
        std::thread(meanwhile).join();
      std::memmove(dst, src, result ? 0 : bytes);
      return result;
    });
  }
  void copy(unsigned line, char *dst, const char *src, uint64_t bytes, uint32_t sides,
            uint64_t stream = 0, int result = 0, const std::function<void()> &meanwhile = {}) {
    copyBy(f, copySite(line, sides), dst, src, bytes, stream, result, meanwhile);
  }
  /// As cuMemcpyHtoD.
  void copyBlocking(unsigned line, char *dst, const char *src, uint64_t bytes) {
    copyBy(f,
           site(GPUINSTR_OP_COPY, "cuMemcpyHtoD", line,
                (Slots & ~bit(GPUINSTR_SLOT_STREAM)) | bit(GPUINSTR_SLOT_SRC), 0,
                GPUINSTR_SITE_DRIVER | Up),
           dst, src, bytes, 0, 0, {});
  }
  /// A buffer is filled and brought back, as in a loop, maybe from several streams at once, while
  /// kernels and other threads write there.
  void thereAndBack(std::mt19937 &random, uint64_t stream) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const unsigned i = Segments + below(Buffers), kind = below(4);
    const bool isOrdered = below(2);
    for (int k = 0; k < 24; ++k) {
      const uint64_t on = isOrdered || k % 2 ? stream : streams[0];
      std::function<void()> meanwhile;
      if (k % 12 == 11)
        meanwhile = [this, i, on, what = below(4)] { doMeanwhile(what, i, on); };
      if (kind == 1 && k % 3 == 0)
        launch("writer", {parameter(Writes)}, {d[i]}, on);
      char *from = host.data() + (kind == 2 ? 512 * (k % 2) : 32768);
      copy(710, d[i], from, 2048, Up, on, 0, k < 12 ? meanwhile : std::function<void()>());
      if (kind == 3 && k % 3 == 0)
        launch("writer", {parameter(Writes)}, {d[i]}, on);
      if (kind != 2)
        copy(711, host.data() + 32768, d[i], 2048, Down, on, 0, meanwhile);
      if (isOrdered && k % 8 == 7)
        syncStream(on);
    }
  }
  /// One of the things that another thread may do while a copy from or to the buffer goes on.
  void doMeanwhile(unsigned what, unsigned i, uint64_t stream) {
    Function by;
    if (what == 0) {
      copyBy(by, copySite(710, Up), d[i], host.data(), 2048, stream, 0, {});
    } else if (what == 1) { // somewhere else in there
      copyBy(by, copySite(709, Within), d[i] + 16384, d[0] + 49152, 2048, stream, 0, {});
    } else if (what == 2) {
      by.free(site(GPUINSTR_OP_FREE, "cudaFree", 41, bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_DEVICE),
              reinterpret_cast<uint64_t>(d[i]));
      by.alloc(site(GPUINSTR_OP_ALLOC, "cudaMalloc", 42,
                    bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE),
               reinterpret_cast<uint64_t>(d[i]), Place);
    } else {
      audit::noteUnknownWork(*thisThread(), stream, true);
    }
  }
  static constexpr uint32_t Within = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC,
                            Up = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_SRC,
                            Down = GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC;

  void anyCall(std::mt19937 &random) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const uint64_t stream = streams[below(unsigned(streams.size()))];
    const unsigned i = below(Segments + Buffers), j = below(Segments + Buffers);
    const uint64_t bytes = below(6) ? 2048 : 300;
    const int result = below(40) == 0 ? 1 : 0;
    char *piece = d[i] + 4096 * below(3);
    const unsigned what = below(100);
    if (what < 40)
      set(700 + below(2), piece, bytes, stream, result);
    else if (what < 62)
      copy(702 + below(2), piece, d[j] + 32768, bytes, Within, stream, result);
    else if (what < 72)
      copy(704, piece, host.data() + 512 * below(2), bytes, Up, stream, result);
    else if (what < 78)
      copy(705, host.data() + 32768, piece, bytes, Down, stream, result);
    else if (what < 84)
      launch(what % 2 ? "writer" : "reader", {parameter(what % 2 ? Writes : Reads)}, {piece},
             stream);
    else if (what < 90)
      syncStream(stream);
    else if (what < 92)
      syncDevice();
    else if (what < 93)
      free(40, d[i]), make(i);
    else if (what < 96 && isPinned)
      thereAndBack(random, stream);
    else if (what < 98)
      for (int k = 0; k < 60; ++k)
        what == 97 ? set(713, d[3] + 8192, 2048, stream)
                   : copyBlocking(712, d[4] + 8192, host.data(), 2048);
    else
      for (int k = 0; k < 30; ++k) // as in a loop
        below(2) ? copy(706, d[0] + 8192, d[1] + 32768, 2048, Within, streams[0])
                 : set(707, d[2] + 512 * unsigned(k), 64, streams[0]);
  }

  static audit::Range &rangeAt(const char *memory) {
    return *audit::auditor().ranges.find(reinterpret_cast<uint64_t>(memory));
  }
  std::string when(audit::Event at) const {
    if (at <= event)
      return "- ";
    const uint64_t order = (at >> audit::EventsBits) - (event >> audit::EventsBits),
                   from = order ? at & ~audit::Event(0) << audit::EventsBits : event;
    return std::to_string(order) + "." + std::to_string(at - from) + " ";
  }
  /// Versions are numbers of the process: what counts is whether they hold.
  std::string knownToo(const audit::Key &key) {
    const audit::Auditor &a = audit::auditor();
    std::string text = " ";
    for (uint64_t value :
         {key.round.repeats,
          key.round.interfered,
          uint64_t(key.round.related),
          key.apart.count,
          key.apart.bytes,
          key.again.repeats,
          key.again.checked,
          key.again.unchanged,
          key.elsewhere.repeats,
          key.back.repeats,
          key.same.hostChecked,
          key.same.unseen,
          key.seenOccurrence,
          key.hostOccurrence,
          uint64_t(key.stream ? key.stream->handle : 1),
          uint64_t(key.caller),
          uint64_t(key.refused),
          uint64_t(key.guess),
          uint64_t(key.pending),
          key.hostAddress ? key.hostAddress - reinterpret_cast<uint64_t>(host.data()) : 1})
      text += std::to_string(value) + ",";
    for (bool is : {a.version(key) == key.version, key.version == key.contentVersion,
                    key.hasContent, key.hasHost, key.content == audit::ContentHash(),
                    a.ranges.readsOf(*key.range) + key.copyReads == key.readsThen,
                    key.copyWrites == key.copyWritesThen, key.notRun == cuda::kernelsNotRun(),
                    key.hasSeen, key.hasSeen && key.seenVersion == key.version})
      text += is ? "1" : "0";
    return text;
  }
  static std::string known(const audit::Figures &f) {
    std::string text;
    for (uint64_t value :
         {f.eligible, f.eligibleBytes, f.verified, f.verifiedBytes, f.skipped[0], f.skipped[1],
          f.skipped[2], f.skipped[3], f.skipped[4], f.all.count, f.all.bytes, f.places})
      text += std::to_string(value) + " ";
    return text;
  }
  std::string known(const audit::Range &range) {
    auto since = [](uint64_t value, uint64_t from) {
      return value > from ? std::to_string(value - from) + " " : "- ";
    };
    std::string text = since(audit::LaunchStamp::order(range.writer), base) +
                       since(audit::LaunchStamp::order(range.reader), base) +
                       since(audit::LaunchStamp::order(range.irregular), base) +
                       when(range.usage.lastCopy) + when(range.usage.first) +
                       std::to_string(range.usage.lastCopySite) + " ";
    for (bool is :
         {range.used.load(), range.unused.load(), range.escaped.load(), range.global.load(),
          range.written.load(), range.isMixed(), range.unordered, range.filled, range.usage.filled})
      text += is ? "1" : "0";
    std::vector<std::string> keys;
    for (const audit::KeyPlace &at : range.keys) {
      const audit::Key &key = *at.key;
      keys.push_back("\n    " + std::to_string(at.lo - range.base) + " " +
                     std::to_string(key.id.site) + " " + std::to_string(key.id.bytes) + " " +
                     std::to_string(key.occurrences) + " " + std::to_string(key.copyWrites) + " " +
                     std::to_string(key.copyReads) + (key.unread ? " u" : " -") +
                     std::to_string(key.same.repeats) + "/" + std::to_string(key.same.interfered) +
                     " " + since(key.settledAt, puts) + std::to_string(key.left.load()) + " " +
                     std::to_string(key.same.checked) + "/" + std::to_string(key.refusals) +
                     knownToo(key));
    }
    std::sort(keys.begin(), keys.end());
    for (const std::string &key : keys)
      text += key;
    return text;
  }
  std::string known() {
    audit::endRun();
    audit::Auditor &a = audit::auditor();
    std::string text;
    for (uint64_t handle : streams) {
      audit::StreamState &s = a.streams.of(handle, audit::contextOf(*Self), Self);
      text += "stream: " + std::to_string(s.lastPut > puts ? s.lastPut - puts : 0) + " " +
              std::to_string(s.putsDone > puts ? s.putsDone - puts : 0) + (s.work ? " w\n" : "\n");
    }
    for (char *at : d)
      text += "  " + known(rangeAt(at)) + "\n";
    audit::ThreadAuditState &local = audit::auditStateOf(*Self);
    const bool isRow = local.row.direction != cuda::CopyDirection::Unknown;
    for (const FindingRecord &found : a.waste.records())
      text += std::to_string(int(found.key.pattern)) + "x" + std::to_string(found.count) + " ";
    return text + known(a.waste.figures) +
           (isRow ? std::to_string(local.row.count) + "/" + std::to_string(local.row.bytes) + "/" +
                        std::to_string(local.row.site)
                  : "no row") +
           (local.waitedAt ? " waited" : "") + (a.pageableIsLate ? " late" : "") + " " +
           std::to_string(a.pending.size()) + " pending" + (a.transferSeen ? " seen" : "") +
           (Self->launches.last.launched ? " launched" : "");
  }

  /// After each of many calls, or each so many; then what the report says but times.
  std::vector<std::string> run(const char *options, unsigned seed, bool isForced,
                               const std::vector<uint64_t> &given) {
    const int each = seed % 4 ? 5 : 1;
    begin(options, isForced, given);
    std::mt19937 random(seed);
    std::vector<std::string> all;
    for (int i = 0; i < 250; ++i) {
      earn(); // however slow this machine is
      anyCall(random);
      if (i % each == 0)
        all.push_back(known());
    }
    profile::Profile p = profileNow();
    // Once is enough where a call took long, as with a thread in it.
    // A thread's state may lie where that of an ended one lay, and go on with its cycles.
    auto isOfTime = [](const profile::Finding &f) {
      return f.pattern == Pattern::Reupload || f.pattern == Pattern::Roundtrip ||
             (f.pattern == Pattern::AllocChurn && f.message.find(":41)") != std::string::npos);
    };
    p.findings.erase(std::remove_if(p.findings.begin(), p.findings.end(), isOfTime),
                     p.findings.end());
    for (const profile::Finding &f : p.findings)
      all.push_back(f.pattern.text() + " " + f.grade.text() + " " + f.message + " x" +
                    std::to_string(f.count) + " " + std::to_string(f.bytes) + " " +
                    std::to_string(f.checked) + "/" + std::to_string(f.unchanged));
    std::sort(all.end() - std::ptrdiff_t(p.findings.size()), all.end());
    for (unsigned line = 700; line < 714; ++line)
      if (const profile::Site *row = siteAtLine(p, line))
        all.push_back(std::to_string(line) + ": " + std::to_string(row->calls) + " " +
                      std::to_string(row->failed) + " " + std::to_string(row->bytes));
    return all;
  }
};

TEST_F(RepeatedTransfers, LeaveBehindWhatTheLongWayDoes) {
  isPinned = true;
  run("audit=full", 1, true, {0}); // what a process does once
  for (const char *options : {"audit=sampled:budget=100", "audit=sampled:budget=0", "audit=full"})
    for (unsigned seed = 0; seed < 24; ++seed) {
      std::vector<uint64_t> given = {0};
      if (seed % 2)
        given = {0, 0x7711, 0x7722};
      isPinned = seed % 3 != 0;
      std::vector<std::string> shortly = run(options, seed, false, given);
      const unsigned longCalls = transferWays().calls;
      std::vector<std::string> atLength = run(options, seed, true, given);
      EXPECT_LT(longCalls + 60, transferWays().calls) << "the short way was not taken";
      auto [at, other] = std::mismatch(shortly.begin(), shortly.end(), atLength.begin());
      if (at != shortly.end())
        FAIL() << options << ", seed " << seed << ", state " << at - shortly.begin() << '\n'
               << *at << "\nthe long way:\n"
               << *other;
    }
}

/// How many of the calls go the long way, once it is known how they go.
struct WhichWay : RepeatedTransfers {
  void SetUp() override {
    RepeatedTransfers::SetUp();
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

/// What an upload sends may be other bytes each time: its source is looked at.
TEST_F(WhichWay, SmallUploadsAreSearchedForAddresses) {
  EXPECT_EQ(longOf(100, [&] { copy(704, d[0], host.data(), 2048, Up); }), 100u);
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
