// Events, queries, waits, updates of nodes and graph launches that come again and again: the
// auditor knows as much afterwards as if each had gone the long way.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include "ledger/Ledger.h"
#include <algorithm>
#include <map>
#include <random>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Has no short look, so that all calls go the long way while it is not muted.
struct LongWay : Observer {
  LongWay()
      : Observer(opBit(GPUINSTR_OP_QUERY) | opBit(GPUINSTR_OP_WAIT_EVENT) |
                 opBit(GPUINSTR_OP_RECORD_EVENT) | opBit(GPUINSTR_OP_GRAPH_NODE) |
                 opBit(GPUINSTR_OP_GRAPH_LAUNCH) | opBit(GPUINSTR_OP_CREATE) |
                 opBit(GPUINSTR_OP_DESTROY) | opBit(GPUINSTR_OP_SYNC_STREAM) |
                 opBit(GPUINSTR_OP_SYNC_EVENT) | opBit(GPUINSTR_OP_SYNC_DEVICE) |
                 opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END)) {
    addObserver(*this);
    muteObserver(*this);
  }
};
LongWay &longWay() {
  static LongWay one; // never removed
  return one;
}

struct ShortLooks : TwoBuffers {
  void SetUp() override {
    table();
    longWay();
    TwoBuffers::SetUp();
  }
  void TearDown() override {
    muteObserver(longWay());
    TwoBuffers::TearDown();
  }

  void make(gpuinstr_site *site, uint64_t stream, uint64_t dst, int result = 0) {
    f.frame.slot[GPUINSTR_SLOT_DST] = dst;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.call(site, [&] { return result; });
  }
  static constexpr uint32_t Both = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM);
  void record(uint64_t event, uint64_t stream, int result = 0) {
    make(site(GPUINSTR_OP_RECORD_EVENT, "cuEventRecord", 600, Both), stream, event, result);
  }
  void wait(uint64_t stream, uint64_t event, int result = 0) {
    make(site(GPUINSTR_OP_WAIT_EVENT, "cuStreamWaitEvent", 601, Both), stream, event, result);
  }
  void askEvent(uint64_t event, int result = 0) {
    make(site(GPUINSTR_OP_QUERY, "cuEventQuery", 602, Both, 0, 0, 1), 0, event, result);
  }
  void askStream(uint64_t stream, int result = 0) {
    make(site(GPUINSTR_OP_QUERY, "cuStreamQuery", 603, Both), stream, stream, result);
  }
  void update(uint64_t executable, int result = 0) {
    make(site(GPUINSTR_OP_GRAPH_NODE, "cuGraphExecKernelNodeSetParams", 604,
              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_PARAMS), 0, 0, 2),
         0, executable, result);
  }
  void dropEvent(uint64_t event) {
    make(site(GPUINSTR_OP_DESTROY, "cuEventDestroy", 605, bit(GPUINSTR_SLOT_DST),
              GPUINSTR_RES_EVENT),
         0, event);
  }
  void makeEvent(uint64_t event) {
    uint64_t made = event;
    make(site(GPUINSTR_OP_CREATE, "cuEventCreate", 622, bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_EVENT),
         0, reinterpret_cast<uint64_t>(&made));
  }
  uint64_t makeGraph(uint64_t handle, unsigned resource, unsigned line, uint64_t from) {
    uint64_t made = handle;
    f.frame.slot[GPUINSTR_SLOT_SRC] = from;
    make(site(GPUINSTR_OP_CREATE, "cuGraphMakes", line,
              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC), resource),
         0, reinterpret_cast<uint64_t>(&made));
    return handle;
  }
  void instantiate(uint64_t executable, uint64_t graph) {
    makeGraph(executable, GPUINSTR_RES_GRAPH_EXEC, 607, graph);
  }
  void launchGraph(uint64_t executable, uint64_t stream, int result = 0) {
    make(site(GPUINSTR_OP_GRAPH_LAUNCH, "cuGraphLaunch", 620, Both, 0, GPUINSTR_SITE_ASYNC), stream,
         executable, result);
  }
  static audit::Range &rangeAt(const char *memory) {
    return *audit::auditor().ranges.find(reinterpret_cast<uint64_t>(memory));
  }
  /// Of three graphs the second touches memory, the third may do anything.
  void makeGraphs() {
    for (uint64_t i = 0; i < 3; ++i)
      makeGraph(Graph + i, GPUINSTR_RES_GRAPH, 606, 0);
    audit::GraphWork &work = *audit::auditor().graphs.graph(Graph + 1);
    for (auto [memory, access] : {std::pair<char *, uint8_t>{d, Reads}, {other, Writes}})
      work.noteTouch({&rangeAt(memory), rangeAt(memory).serial, access});
    work.mayWait = work.follows = true;
    work.keepsVariables = false;
    audit::auditor().graphs.graph(Graph + 2)->unknown = true;
  }
  // ---- Captures ----

  /// As the driver sees them: of all streams but the first.
  static inline std::map<uint64_t, uint64_t> Captured;
  static inline uint64_t LastCapture = 0;
  static void answerForCaptures() {
    DriverApi api = *driverApi();
    api.streamGetCaptureInfo = [](void *stream, int *status, unsigned long long *id, void **,
                                  void *const **, size_t *) {
      auto open = Captured.find(reinterpret_cast<uint64_t>(stream));
      *status = open != Captured.end();
      if (*status)
        *id = open->second;
      return 0;
    };
    api.streamIsCapturing = [](void *stream, int *status) {
      *status = int(Captured.count(reinterpret_cast<uint64_t>(stream)));
      return 0;
    };
    useDriver(api);
  }
  void beginCapture(uint64_t stream, int result) {
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.call(site(GPUINSTR_OP_CAPTURE_BEGIN, "cuStreamBeginCapture", 630,
                bit(GPUINSTR_SLOT_STREAM) | bit(GPUINSTR_SLOT_KIND)),
           [&] {
             if (result == 0)
               Captured[stream] = ++LastCapture;
             return result;
           });
  }
  void endCapture(uint64_t stream, uint64_t graph) {
    uint64_t made = 0;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&made);
    f.call(site(GPUINSTR_OP_CAPTURE_END, "cuStreamEndCapture", 631, Both), [&] {
      const bool isOpen = Captured.erase(stream);
      made = isOpen ? graph : 0;
      return isOpen ? 0 : 901;
    });
  }
  void becomeGraph(uint64_t executable, uint64_t graph, int result) {
    f.frame.slot[GPUINSTR_SLOT_SRC] = graph;
    make(site(GPUINSTR_OP_GRAPH_NODE, "cuGraphExecUpdate", 632,
              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC), 0, 0, 2),
         0, executable, result);
  }
  void dropGraph(uint64_t graph) {
    make(site(GPUINSTR_OP_DESTROY, "cuGraphDestroy", 633, bit(GPUINSTR_SLOT_DST),
              GPUINSTR_RES_GRAPH),
         0, graph);
  }
  void waitForEvent(uint64_t event, int result) {
    make(site(GPUINSTR_OP_SYNC_EVENT, "cuEventSynchronize", 634, bit(GPUINSTR_SLOT_DST)), 0, event,
         result);
  }
  void waitForDevice(int result) {
    f.call(site(GPUINSTR_OP_SYNC_DEVICE, "cuCtxSynchronize", 635, 0, 0, GPUINSTR_SITE_QUIET),
           [&] { return result; });
  }
  /// Graphs that captures made.
  static constexpr uint64_t Made = 0xa000;
  void anyCaptureCall(std::mt19937 &random, uint64_t stream) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const uint64_t graph = Made + 64 * below(3);
    switch (below(7)) {
    case 0:
      return beginCapture(stream, below(8) == 0 ? 901 : 0);
    case 1:
      return below(2) ? launch("reader", {parameter(Reads)}, {d}, stream) : run(stream);
    case 2:
    case 3:
      return endCapture(stream, graph);
    case 4:
    case 5:
      return becomeGraph(Executable + below(4), graph, below(8) == 0);
    default:
      return dropGraph(graph);
    }
  }
  /// As programs do that capture each step anew.
  void captureRounds(std::mt19937 &random, uint64_t stream) {
    for (unsigned i = 0; i < 6; ++i) {
      const uint64_t graph = Made + 64 * (i % 3);
      beginCapture(stream, 0);
      for (unsigned k = random() % 3; k-- > 0;)
        launch("reader", {parameter(Reads)}, {d}, stream);
      endCapture(stream, graph);
      becomeGraph(Executable, graph, 0);
      dropGraph(graph);
      launchGraph(Executable, stream);
      if (random() % 2)
        syncStream(stream);
      else
        waitForDevice(0);
    }
  }

  bool isKnown(uint64_t executable) {
    return audit::auditor().graphs.executable(executable) != nullptr;
  }

  static constexpr uint64_t Graph = 0x9000, Executable = 0xe000;
  void anyCall(std::mt19937 &random, const std::vector<uint64_t> &streams) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    uint64_t stream = streams[below(unsigned(streams.size()))], event = 0x6000 + 64 * below(5);
    int result = below(12) == 0 ? 1 : 0, answer = below(3) == 0 ? 600 : result;
    switch (below(capturesToo ? 22 : 18)) {
    case 16:
      return waitForEvent(event, result);
    case 17:
      return waitForDevice(result);
    case 18:
    case 19:
    case 20:
      return anyCaptureCall(random, stream);
    case 21:
      return captureRounds(random, stream);
    case 0:
    case 1:
      return run(stream);
    case 2:
    case 3:
      return record(event, stream, result);
    case 4:
    case 5:
      return wait(stream, event, result);
    case 6:
      return askEvent(event, answer);
    case 7:
      return askStream(stream, answer);
    case 8:
      return below(2) ? makeEvent(event) : dropEvent(event);
    case 9:
      return instantiate(Executable + below(20), Graph + below(3));
    case 10:
      return below(2) ? uploadAsync(608, d, host.data(), stream) : upload(609, d, host.data(), 64);
    case 11:
      return syncStream(stream);
    case 12:
    case 13:
    case 14:
      return launchGraph(Executable + below(20), stream, result);
    default:
      return update(Executable + below(20), result);
    }
  }

  /// What is known of streams and executables, by the numbers since `base` and `puts`.
  std::string known(const std::vector<uint64_t> &streams, uint64_t base, uint64_t puts) {
    std::string text;
    auto since = [](uint64_t value, uint64_t from) {
      return value > from ? std::to_string(value - from) + " " : "- ";
    };
    audit::Auditor &a = audit::auditor();
    for (uint64_t handle : streams) {
      audit::StreamState *s = &a.streams.of(handle, audit::contextOf(*Self), Self);
      text += "stream: " + since(s->lastLaunch, base) + since(s->lastWaiting, base) +
              since(s->done, base) + since(s->hold, base) + since(s->lastPut, puts) +
              since(s->putsDone, puts) + (s->work ? "w" : "") + (s->bringsOthers ? "o" : "") +
              (a.streams.othersMayRun(*s) ? "r" : "") + (a.streams.othersMayWait(*s) ? "W" : "") +
              (a.streams.anyWork(*s) ? "a" : "") + "\n";
    }
    for (uint64_t i = 0; i < 20; ++i)
      text += isKnown(Executable + i) ? "k" : ".";
    for (uint64_t i = 0; i < 3; ++i) {
      const audit::GraphWork *work = a.graphs.graph(Made + 64 * i);
      text += !work ? "." : work->unknown ? "u" : std::to_string(work->touches.size());
      text += ledger().findHandle(GPUINSTR_RES_GRAPH, Made + 64 * i) ? "l" : "-";
    }
    text += std::to_string(cuda::Captures.anyOpen()) + (audit::CaptureTrust::isOn() ? "t" : "-") +
            (Self->drainedTicks ? "d" + std::to_string(Self->drainedBy) : "") +
            (Self->drainedTicks && Self->drainedOneStream ? "o" : "");
    auto orderOf = [&](uint64_t stamp) { return since(audit::LaunchStamp::order(stamp), base); };
    for (const audit::Range *range : {&rangeAt(d), &rangeAt(other)})
      text += "\n" + orderOf(range->writer) + orderOf(range->reader) + orderOf(range->irregular) +
              std::to_string(range->users.lastSite()) + (range->isMixed() ? " mixed" : "");
    text += "\n" + orderOf(audit::Ranges::follower) +
            since(audit::Ranges::variableWrites, variables) + since(audit::Ranges::launches, base) +
            since(audit::LaunchStamp::order(audit::Ranges::unknown), base) +
            std::to_string(int(audit::auditStateOf(*Self).row.direction)) +
            (audit::auditStateOf(*Self).waitedAt ? " waited" : "") +
            (audit::auditStateOf(*Self).waitedQuietly ? " quietly" : "");
    for (const auto &found : a.waste.records())
      text += " " + std::to_string(int(found.key.pattern)) + "x" + std::to_string(found.count);
    return text;
  }

  /// After each of many calls.
  std::vector<std::string> after(unsigned seed, bool goesLong) {
    start("audit=full");
    goesLong ? unmuteObserver(longWay()) : muteObserver(longWay());
    d = alloc(10);
    other = alloc(11);
    makeGraphs();
    Captured.clear();
    cuda::Captures.forget();
    answerForCaptures();
    variables = audit::Ranges::variableWrites;
    std::vector<uint64_t> streams = {0, makeStream(true), makeStream(true), makeStream(false)};
    const uint64_t base = audit::Ranges::launches, puts = audit::Streams::Puts;
    std::mt19937 random(seed);
    const uint32_t before = Self->decodings;
    std::vector<std::string> all;
    for (int i = 0; i < 120; ++i) {
      anyCall(random, streams);
      all.push_back(known(streams, base, puts));
    }
    decoded = Self->decodings - before;
    return all;
  }
  unsigned decoded = 0;
  bool capturesToo = false;
  uint64_t variables = 0;
};

TEST_F(ShortLooks, LeaveBehindWhatTheLongWayDoes) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    capturesToo = seed % 2;
    std::vector<std::string> shortly = after(seed, false);
    unsigned decodedThen = decoded;
    std::vector<std::string> atLength = after(seed, true);
    auto [one, other] = std::mismatch(shortly.begin(), shortly.end(), atLength.begin());
    if (one != shortly.end())
      FAIL() << "seed " << seed << ", call " << one - shortly.begin() << '\n'
             << *one << "\nthe long way:\n"
             << *other;
    EXPECT_LT(decodedThen + 20, decoded) << "the short way was not taken";
  }
}

/// Begin, end, update, destroy, graph launch and wait.
TEST_F(ShortLooks, RoundsOfCapturesDecodeNothing) {
  std::mt19937 random(1);
  answerForCaptures();
  auto decodedIn = [&](bool goesLong) {
    goesLong ? unmuteObserver(longWay()) : muteObserver(longWay());
    for (int i = 0; i < 8; ++i)
      captureRounds(random, 0x7711);
    const uint32_t before = Self->decodings;
    for (int i = 0; i < 8; ++i)
      captureRounds(random, 0x7711);
    return Self->decodings - before;
  };
  EXPECT_LE(decodedIn(false), 8u) << "graph launches that are timed";
  EXPECT_GE(decodedIn(true), 6u * 48);
}

TEST_F(ShortLooks, NodesThatAreAddedGoTheLongWay) {
  struct Kind {
    unsigned op;
    uint16_t detail;
    uint32_t slots;
  };
  const Kind kinds[] = {{GPUINSTR_OP_GRAPH_NODE, 0, 0},
                        {GPUINSTR_OP_GRAPH_NODE, 3, bit(GPUINSTR_SLOT_SRC)},
                        {GPUINSTR_OP_GRAPH_NODE, 4, bit(GPUINSTR_SLOT_SRC)},
                        {GPUINSTR_OP_WAIT_EVENT, 1, 0}};
  unsigned line = 610;
  for (const Kind &kind : kinds) {
    auto *one =
        site(kind.op, "cuDoes", line++, bit(GPUINSTR_SLOT_DST) | kind.slots, 0, 0, kind.detail);
    for (int i = 0; i < 10; ++i)
      make(one, 0, 0x9999);
    RepeatedCalls *all = Self->repeatedCalls.load();
    EXPECT_FALSE(all && all->find(one, 0, 0)) << one->line;
  }
}

/// What graphs copy is judged.
TEST_F(ShortLooks, GraphsThatCopyGoTheLongWay) {
  makeGraphs();
  instantiate(Executable, Graph + 1);
  instantiate(Executable + 1, Graph);
  cuda::CallOperands copied;
  gpuinstr_site *s = site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 621, 0);
  copied.op = s->op;
  copied.frame = &f.frame;
  f.frame.site = s;
  audit::auditor().graphs.graph(Graph)->copies.emplace_back(Call{copied, *s, *Self, 0, 0}, copied);
  instantiate(Executable + 2, Graph);
  for (uint64_t i : {0, 1, 2}) {
    launchGraph(Executable + i, 0);
    launchGraph(Executable + i, 0);
    const uint32_t before = Self->decodings;
    launchGraph(Executable + i, 0);
    EXPECT_EQ(Self->decodings - before, i == 2 ? 1u : 0u) << i;
  }
}

/// An executable that was changed is unknown until another one is made under its handle.
TEST_F(ShortLooks, AnUpdatedExecutableIsUnknownUntilItIsMadeAnew) {
  makeGraph(Graph, GPUINSTR_RES_GRAPH, 606, 0);
  for (int round = 0; round < 5; ++round) {
    instantiate(Executable, Graph);
    EXPECT_TRUE(isKnown(Executable)) << round;
    for (int i = 0; i < 3; ++i) {
      update(Executable);
      EXPECT_FALSE(isKnown(Executable)) << round;
    }
  }
  instantiate(Executable, Graph);
  update(Executable, 1);
  EXPECT_TRUE(isKnown(Executable)) << "it failed";
}

/// Memory of the host that a download wrote is looked at when a query says that it is there.
TEST_F(ShortLooks, AQueryThatBringsADownloadGoesTheLongWay) {
  askStream(0);
  askStream(0);
  const uint32_t before = Self->decodings;
  askStream(0);
  EXPECT_EQ(Self->decodings, before);
  audit::auditStateOf(*Self).downloadCount = 1;
  audit::auditStateOf(*Self).downloads[0] = {};
  askStream(0, 600);
  EXPECT_EQ(Self->decodings, before + 1);
  audit::auditStateOf(*Self).downloadCount = 0;
  askStream(0);
  EXPECT_EQ(Self->decodings, before + 1);
}

/// What a record noted lies with the event: another one of the handle starts anew.
TEST_F(ShortLooks, EventsThatAreGoneSayNothing) {
  uint64_t one = makeStream(true);
  for (int i = 0; i < 3; ++i) {
    run(one);
    record(0x6000, one);
  }
  audit::StreamState &stream = audit::auditor().streams.of(one, audit::contextOf(*Self), Self);
  dropEvent(0x6000);
  askEvent(0x6000);
  askEvent(0x6000);
  EXPECT_LT(stream.done.load(), stream.lastLaunch.load());
  record(0x6000, one);
  askEvent(0x6000);
  EXPECT_EQ(stream.done.load(), stream.lastLaunch.load());
}

} // namespace
