// From a capture to the lines of the graph that is launched.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/GraphLines.h"
#include "FakeDevice.h"
#include "base/Part.h"
#include "calls/Observer.h"
#include "calls/budget/OverheadBudget.h"
#include "time/DeviceTimes.h"
#include "time/graphs/CapturePlan.h"
#include "time/sampled/Sampler.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Captures, graphs and their handles as CUDA has them; stream 5 is captured while Capture is set.
struct Graphs {
  static inline unsigned long long Capture = 0;
  static inline uint64_t Into = 0;
  static inline bool Asked = false, Invalidated = false;
  static inline unsigned Questions = 0;
  explicit Graphs(Function &f) : function(f) {
    DriverApi api = *driverApi();
    api.streamGetCaptureInfo = [](void *stream, int *status, unsigned long long *id, void **,
                                  void *const **, size_t *) {
      Asked = true;
      ++Questions;
      *status = statusOf(stream);
      if (*status == 1) // else it is not set
        *id = Capture;
      return 0;
    };
    api.streamIsCapturing = [](void *stream, int *status) {
      *status = statusOf(stream);
      return 0;
    };
    useDriver(api);
    Capture = 0;
    Invalidated = false;
    registerAll({beginSite, beginIntoSite, endSite, instantiateSite, updateSite, launchSite,
                 destroySite, resetSite});
  }
  static int statusOf(void *stream) {
    return !Capture || stream != reinterpret_cast<void *>(5) ? 0 : Invalidated ? 2 : 1;
  }
  void begin() {
    function.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    function.call(beginSite, [] {
      Capture = ++Last;
      return 0;
    });
  }
  /// cudaStreamBeginCaptureToGraph.
  void beginInto(uint64_t graph) {
    function.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    function.frame.slot[GPUINSTR_SLOT_DST] = graph;
    function.call(beginIntoSite, [&] {
      Capture = ++Last;
      Into = graph;
      return 0;
    });
  }
  static constexpr int Invalid = 901, Unmatched = 903, Unjoined = 904;
  uint64_t end(int result = 0) {
    uint64_t graph = 0;
    function.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    function.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&graph);
    function.call(endSite, [&] {
      if (result == 0)
        graph = Into ? Into : 0x9000 + Capture;
      if (result != Unmatched)
        Capture = Into = 0;
      return result;
    });
    return graph;
  }
  uint64_t instantiate(uint64_t graph, uint64_t handle) {
    uint64_t exec = 0;
    function.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&exec);
    function.frame.slot[GPUINSTR_SLOT_SRC] = graph;
    function.call(instantiateSite, [&] {
      exec = handle;
      return 0;
    });
    return exec;
  }
  void call(gpuinstr_site *site, uint64_t handle, uint64_t from = 0, uint64_t stream = 5) {
    function.frame.slot[GPUINSTR_SLOT_DST] = handle;
    function.frame.slot[GPUINSTR_SLOT_SRC] = from;
    function.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    function.call(site, [&] {
      if (site == launchSite)
        FakeDevice::work(3000);
      return 0;
    });
  }
  static gpuinstr_site *make(unsigned op, const char *name, unsigned line, uint32_t slots,
                             unsigned resource = 0, unsigned detail = 0) {
    gpuinstr_site *site = makeSite(op, name, line, resource, GPUINSTR_SITE_CUDA_ERROR, slots);
    site->detail = uint16_t(detail);
    return site;
  }
  static constexpr uint32_t Dst = bit(GPUINSTR_SLOT_DST), Src = bit(GPUINSTR_SLOT_SRC),
                            Stream = bit(GPUINSTR_SLOT_STREAM);
  gpuinstr_site *beginSite = make(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCapture", 60, Stream),
                *beginIntoSite = make(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCaptureToGraph",
                                      67, Stream | Dst, 0, 1),
                *endSite = make(GPUINSTR_OP_CAPTURE_END, "cudaStreamEndCapture", 61, Stream | Dst),
                *instantiateSite = make(GPUINSTR_OP_CREATE, "cudaGraphInstantiate", 62, Dst | Src,
                                        GPUINSTR_RES_GRAPH_EXEC),
                *updateSite =
                    make(GPUINSTR_OP_GRAPH_NODE, "cudaGraphExecUpdate", 63, Dst | Src, 0, 2),
                *launchSite = make(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 64, Dst | Stream),
                *resetSite = make(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 66, 0),
                *destroySite = make(GPUINSTR_OP_DESTROY, "cudaGraphExecDestroy", 65, Dst,
                                    GPUINSTR_RES_GRAPH_EXEC);
  Function &function;
  static inline unsigned long long Last = 0;
};

class GraphLines : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
    table();
    FakeDevice::install();
    Kernel = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 10, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
    Copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 20, 0, GPUINSTR_SITE_CUDA_ERROR,
                    CopySlots | bit(GPUINSTR_SLOT_STREAM));
    Alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 5, 1, GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
    registerAll({Kernel, Copy, Alloc});
    F.alloc(Alloc, 0x100000, 4096); // CUDA is up
  }
  void launch(uint64_t stream = 5) {
    F.frame.slot[GPUINSTR_SLOT_FUNC] = 0x4711;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    F.call(Kernel, [] { return 0; });
  }
  /// The budget cannot pay for another look at a capture of so many launches for 50 ms.
  void launchMany() {
    for (int i = 0; i < 2500; ++i)
      launch();
  }
  static void spendAll() {
    while (overheadBudget().takeAhead(1000))
      ;
  }
  void copy() {
    F.frame.slot[GPUINSTR_SLOT_KIND] = 1;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    F.copy(Copy, 0x100000, 0x200000, 64);
  }
  /// No capture is open: launches go their short way again.
  void expectNobodyLooks() {
    Graphs::Asked = false;
    launch();
    EXPECT_FALSE(Graphs::Asked);
    EXPECT_FALSE(ObservedAfter & opBit(GPUINSTR_OP_LAUNCH));
  }
  /// Lines of the sites that the graphs launched at line 64 were captured from.
  std::vector<unsigned> lines() {
    while (FakeDevice::BusyUntil > double(monotonicNs()))
      ;
    timing::collectTimes();
    profile::Profile p = profileNow();
    std::vector<unsigned> found;
    for (const std::string &id : siteAtLine(p, 64)->device.captured_from)
      for (const profile::Site &site : p.sites)
        if (site.id == id)
          found.push_back(site.line);
    return found;
  }
  gpuinstr_site *Kernel, *Copy, *Alloc;
  Function F;
};

} // namespace

TEST_F(GraphLines, AreThoseOfTheCapturedWorkInItsOrder) {
  Graphs graphs(F);
  for (int i = 0; i < 5000; ++i)
    launch(); // hot: it takes the short way, and its turns have become rare
  graphs.begin();
  copy();
  launch();
  launch(6); // into another stream
  launch();
  uint64_t graph = graphs.end();
  expectNobodyLooks();
  graphs.call(graphs.launchSite, graphs.instantiate(graph, 0xe1));
  EXPECT_EQ(lines(), (std::vector<unsigned>{20, 10}));
}

TEST_F(GraphLines, GoWithTheHandle) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  uint64_t graph = graphs.end();
  graphs.call(graphs.destroySite, graphs.instantiate(graph, 0xe1));
  uint64_t exec = graphs.instantiate(0x1234, 0xe1); // built node by node, with a handle used before
  graphs.call(graphs.launchSite, exec);
  EXPECT_TRUE(lines().empty());
  graphs.call(graphs.updateSite, exec, graph);
  graphs.call(graphs.launchSite, exec);
  EXPECT_EQ(lines(), std::vector<unsigned>{10});
}

TEST_F(GraphLines, AnInvalidatedCaptureIsOver) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  Graphs::Invalidated = true;
  EXPECT_EQ(graphs.end(Graphs::Invalid), 0u);
  expectNobodyLooks();
}

TEST_F(GraphLines, AnEndThatFailedGoesToNoGraph) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  EXPECT_EQ(graphs.end(Graphs::Unmatched), 0u); // by another thread: it goes on
  copy();
  EXPECT_EQ(graphs.end(Graphs::Unjoined), 0u);
  expectNobodyLooks();
  graphs.call(graphs.launchSite, graphs.instantiate(0, 0xe1)); // built node by node
  EXPECT_TRUE(lines().empty());
}

TEST_F(GraphLines, OfSeveralCapturesIntoOneGraphAddUp) {
  Graphs graphs(F);
  graphs.beginInto(0x9999);
  launch();
  graphs.end();
  graphs.beginInto(0x9999);
  copy();
  graphs.call(graphs.launchSite, graphs.instantiate(graphs.end(), 0xe1));
  EXPECT_EQ(lines(), (std::vector<unsigned>{10, 20}));
}

TEST_F(GraphLines, GoWithTheContext) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  uint64_t exec = graphs.instantiate(graphs.end(), 0xe1);
  graphs.begin();
  graphs.call(graphs.resetSite, 0);
  Graphs::Capture = 0;
  expectNobodyLooks();
  graphs.call(graphs.launchSite, exec);
  EXPECT_TRUE(lines().empty());
}

TEST_F(GraphLines, ACaptureThatUnseenCodeEndsIsGivenUp) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  Graphs::Capture = 0;
  for (int i = 0; i < 70000; ++i)
    launch();
  expectNobodyLooks();
}

TEST_F(GraphLines, ACaptureEndsWithItsStream) {
  Graphs graphs(F);
  graphs.begin();
  gpuinstr_site *destroy = Graphs::make(GPUINSTR_OP_DESTROY, "cudaStreamDestroy", 70,
                                        bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_STREAM);
  registerAll({destroy});
  Graphs::Invalidated = true;
  graphs.call(destroy, 5);
  Graphs::Capture = 0;
  expectNobodyLooks();
}

TEST_F(GraphLines, AreNotedAnewAfterAReset) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  uint64_t exec = graphs.instantiate(graphs.end(), 0xe1);
  graphs.call(graphs.launchSite, exec);
  timing::clearNotedGraphLines();
  EXPECT_TRUE(lines().empty()) << "it was not launched since";
  graphs.call(graphs.launchSite, exec);
  EXPECT_EQ(lines(), std::vector<unsigned>{10});
}

/// As of a program that captures each step anew: handles come again.
TEST_F(GraphLines, OfAnUpdatedGraphAreThoseOfItsLastCapture) {
  Graphs graphs(F);
  gpuinstr_site *destroy = Graphs::make(GPUINSTR_OP_DESTROY, "cudaGraphDestroy", 71,
                                        bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_GRAPH);
  gpuinstr_site *again = Graphs::make(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 72,
                                      bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
  registerAll({destroy, again});
  uint64_t exec = 0;
  for (int round = 0; round < 6; ++round) {
    graphs.begin();
    launch();
    if (round == 5)
      copy();
    uint64_t graph = graphs.end();
    if (round == 0)
      exec = graphs.instantiate(graph, 0xe1);
    else
      graphs.call(graphs.updateSite, exec, graph);
    graphs.call(destroy, graph);
    graphs.call(round < 5 ? graphs.launchSite : again, exec);
  }
  EXPECT_EQ(lines(), std::vector<unsigned>{10});
  EXPECT_EQ(siteAtLine(profileNow(), 72)->device.captured_from.size(), 2u);
}

TEST_F(GraphLines, OfAGraphWithinTheGraphCount) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  uint64_t inner = graphs.instantiate(graphs.end(), 0xe1);
  graphs.begin();
  copy();
  graphs.call(graphs.launchSite, inner);
  uint64_t outer = graphs.instantiate(graphs.end(), 0xe2);
  graphs.call(graphs.launchSite, outer);
  EXPECT_EQ(lines(), (std::vector<unsigned>{20, 10}));
}

TEST_F(GraphLines, CapturesAgainAndAgainStayWithinTheBudget) {
  Graphs graphs(F);
  constexpr unsigned Rounds = 60, Launches = 2000;
  unsigned looked = 0;
  for (unsigned round = 0; round < Rounds; ++round) {
    while (overheadBudget().take(1000))
      ;
    graphs.begin();
    launch();
    Graphs::Questions = 0;
    for (unsigned i = 0; i < Launches; ++i)
      launch();
    EXPECT_TRUE(Graphs::Questions == 0 || Graphs::Questions == Launches) << Graphs::Questions;
    looked += Graphs::Questions != 0;
    if (round == 0)
      copy();
    uint64_t exec = graphs.instantiate(graphs.end(), 0xe1);
    graphs.call(graphs.launchSite, exec);
  }
  EXPECT_GE(looked, 1u);
  EXPECT_LE(looked, 1 + timing::CapturePlan::DenseCaptures);
  EXPECT_EQ(lines(), (std::vector<unsigned>{10, 20}));
  expectNobodyLooks();
}

TEST_F(GraphLines, WhatIsNotLookedAtIsTakenForTheLastOfItsLine) {
  Graphs graphs(F);
  gpuinstr_site *again = Graphs::make(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 68,
                                      bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
  registerAll({again});
  graphs.begin();
  copy();
  launchMany();
  graphs.end();
  spendAll();
  graphs.begin();
  Graphs::Questions = 0;
  launch();
  EXPECT_EQ(Graphs::Questions, 0u);
  graphs.call(again, 0xe7); // into the capture: it is no launch of its own
  graphs.call(graphs.launchSite, graphs.instantiate(graphs.end(), 0xe1));
  EXPECT_EQ(lines(), (std::vector<unsigned>{20, 10}));
  EXPECT_TRUE(siteAtLine(profileNow(), 68)->device.captured_from.empty());
}

TEST_F(GraphLines, WhatIsNotLookedAtOutlastsAnyLaunchesBesideIt) {
  Graphs graphs(F);
  graphs.begin();
  copy();
  launchMany();
  uint64_t other = graphs.instantiate(graphs.end(), 0xe2);
  spendAll();
  graphs.begin();
  for (int i = 0; i < 70000; ++i)
    graphs.call(graphs.launchSite, other, 0, 6);
  Graphs::Questions = 0;
  graphs.call(graphs.launchSite, other, 0, 6);
  EXPECT_EQ(Graphs::Questions, 0u) << "it may have been ended unseen: nobody asks any more";
  gpuinstr_site *last = Graphs::make(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 68,
                                     bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
  registerAll({last});
  graphs.call(last, graphs.instantiate(graphs.end(), 0xe1));
  lines();
  EXPECT_EQ(siteAtLine(profileNow(), 68)->device.captured_from.size(), 2u);
}

TEST_F(GraphLines, ACaptureThatFailedIsNoExample) {
  Graphs graphs(F);
  graphs.begin();
  copy();
  launchMany();
  graphs.end();
  graphs.begin();
  launchMany();
  Graphs::Invalidated = true;
  graphs.end(Graphs::Invalid);
  Graphs::Invalidated = false;
  spendAll();
  graphs.begin(); // not looked at
  graphs.call(graphs.launchSite, graphs.instantiate(graphs.end(), 0xe1));
  EXPECT_EQ(lines(), (std::vector<unsigned>{20, 10}));
}

TEST_F(GraphLines, WhatTheGraphHeldBeforeIsNotTheCapturesOwn) {
  Graphs graphs(F);
  graphs.begin();
  copy();
  uint64_t first = graphs.end();
  graphs.beginInto(first);
  launchMany();
  graphs.end();
  spendAll();
  graphs.beginInto(0x9999); // not looked at
  graphs.call(graphs.launchSite, graphs.instantiate(graphs.end(), 0xe1));
  EXPECT_EQ(lines(), (std::vector<unsigned>{10}));
}

TEST_F(GraphLines, AnEndTakesItsOwnCaptureAlone) {
  Graphs graphs(F);
  graphs.begin();
  launch();
  Graphs::Capture = 1000000; // ended by unseen code, which began another in the stream
  graphs.call(graphs.launchSite, graphs.instantiate(graphs.end(), 0xe1));
  EXPECT_TRUE(lines().empty());
  expectNobodyLooks();
}
