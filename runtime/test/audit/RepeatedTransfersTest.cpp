// Copies and sets that come again and again, the short way: the auditor, the counters and the
// report know as much afterwards as if each had gone the long way.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include <algorithm>
#include <random>

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
    for (unsigned i = 0; i < Segments + Buffers; ++i) {
      std::fill(place[i].begin(), place[i].end(), 0);
      make(i);
    }
    streams = std::move(given);
    syncDevice(); // what the former run left in them
    Self->launches.launched = false;
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
  void copy(unsigned line, char *dst, const char *src, uint64_t bytes, uint32_t sides,
            uint64_t stream = 0, int result = 0) {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.call(site(GPUINSTR_OP_COPY, "cuMemcpyAsync", line, Slots | bit(GPUINSTR_SLOT_SRC), 0,
                Flags | sides),
           [&] {
             std::memmove(dst, src, result ? 0 : bytes);
             return result;
           });
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
    else if (what < 94)
      free(40, d[i]), make(i);
    else
      for (int k = 0; k < 30; ++k) // as in a loop
        what % 2 ? copy(706, d[0] + 8192, d[1] + 32768, 2048, Within, streams[0])
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
  std::string known(const audit::Range &range) {
    auto since = [](uint64_t value, uint64_t from) {
      return value > from ? std::to_string(value - from) + " " : "- ";
    };
    std::string text = since(audit::LaunchStamp::order(range.writer), base) +
                       since(audit::LaunchStamp::order(range.reader), base) +
                       since(audit::LaunchStamp::order(range.irregular), base) +
                       when(range.usage.lastCopy) + when(range.usage.first) +
                       std::to_string(range.usage.lastCopySite) + " ";
    for (bool is : {range.used.load(), range.unused.load(), range.escaped.load(),
                    range.global.load(), range.written.load(), range.mixed.load(), range.unordered,
                    range.filled, range.usage.filled})
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
                     std::to_string(key.same.checked) + "/" + std::to_string(key.refusals));
    }
    std::sort(keys.begin(), keys.end());
    for (const std::string &key : keys)
      text += key;
    return text;
  }
  std::string known() {
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
    return text + (isRow ? std::to_string(local.row.count) : "no row") +
           (local.waitedAt ? " waited" : "") + (a.pageableIsLate ? " late" : "") + " " +
           std::to_string(a.pending.size()) + " pending" + (a.transferSeen ? " seen" : "") +
           (Self->launches.launched ? " launched" : "");
  }

  /// After each of many calls; then what the report says but times.
  std::vector<std::string> run(const char *options, unsigned seed, bool isForced,
                               const std::vector<uint64_t> &given) {
    begin(options, isForced, given);
    std::mt19937 random(seed);
    std::vector<std::string> all;
    for (int i = 0; i < 250; ++i) {
      overheadBudget().correct(-100000000); // however slow this machine is
      anyCall(random);
      all.push_back(known());
    }
    profile::Profile p = profileNow();
    for (const profile::Finding &f : p.findings)
      all.push_back(f.pattern.text() + " " + f.grade.text() + " " + f.message + " x" +
                    std::to_string(f.count) + " " + std::to_string(f.bytes) + " " +
                    std::to_string(f.checked) + "/" + std::to_string(f.unchanged));
    std::sort(all.end() - std::ptrdiff_t(p.findings.size()), all.end());
    for (unsigned line = 700; line < 708; ++line)
      if (const profile::Site *row = siteAtLine(p, line))
        all.push_back(std::to_string(line) + ": " + std::to_string(row->calls) + " " +
                      std::to_string(row->failed) + " " + std::to_string(row->bytes));
    return all;
  }
};

TEST_F(RepeatedTransfers, LeaveBehindWhatTheLongWayDoes) {
  for (const char *options : {"audit=sampled:budget=100", "audit=sampled:budget=0", "audit=full"})
    for (unsigned seed = 0; seed < 24; ++seed) {
      std::vector<uint64_t> given = {0};
      if (seed % 2)
        given = {0, 0x7711, 0x7722};
      std::vector<std::string> shortly = run(options, seed, false, given);
      const unsigned longCalls = transferWays().calls;
      std::vector<std::string> atLength = run(options, seed, true, given);
      EXPECT_LT(longCalls + 100, transferWays().calls) << "the short way was not taken";
      auto [at, other] = std::mismatch(shortly.begin(), shortly.end(), atLength.begin());
      if (at != shortly.end())
        FAIL() << options << ", seed " << seed << ", call " << at - shortly.begin() << '\n'
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

/// What an upload sends may be other bytes each time: its source is looked at.
TEST_F(WhichWay, SmallUploadsAreSearchedForAddresses) {
  EXPECT_EQ(longOf(100, [&] { copy(704, d[0], host.data(), 2048, Up); }), 100u);
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
