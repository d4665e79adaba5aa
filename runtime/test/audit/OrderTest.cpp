// When a hash may be put into a stream, and when it may not; that asynchronous calls never wait.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "base/Clock.h"
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Order : TwoBuffers {
  void record(uint64_t event, uint64_t stream) {
    simple(GPUINSTR_OP_RECORD_EVENT, "cudaEventRecord", 860, stream, event);
  }
  void wait(uint64_t stream, uint64_t event) {
    simple(GPUINSTR_OP_WAIT_EVENT, "cudaStreamWaitEvent", 861, stream, event);
  }
  unsigned hashesOf(const std::function<void()> &work) {
    unsigned before = engine.hashes;
    work();
    return engine.hashes - before;
  }
};

TEST_F(Order, BlockingCallsFinishTheirHashes) {
  for (int i = 0; i < 3; ++i)
    upload(20, d, host.data());
  EXPECT_EQ(engine.hashes, 4u);
  EXPECT_EQ(engine.waits, 2u);
}

TEST_F(Order, AsynchronousCallsNeverWait) {
  engine.late = true;
  uint64_t stream = makeStream(false);
  for (int i = 0; i < 5; ++i)
    uploadAsync(20, d, host.data(), stream);
  set(21, d, 0);
  set(21, d, 0);
  EXPECT_EQ(engine.waits, 0u);
  EXPECT_TRUE(none("noop-copy")) << "no answer yet";
  EXPECT_EQ(figures().verified, 0u);
  engine.arrive();
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(engine.open(), 0u);
}

TEST_F(Order, WhatADownloadWaitsForIsItsOwnTimeNotOurs) {
  std::vector<char> back(Bytes);
  download(21, back.data(), d);
  run(0); // takes a while
  engine.busyMs = 20;
  const uint64_t own = totalOwnTicks().own, waits = engine.waits;
  download(21, back.data(), d);
  EXPECT_EQ(engine.waits, waits + 1);
  EXPECT_LT(double(totalOwnTicks().own - own) * nsPerTick(), 10e6);
  profile::Profile p = profileNow();
  EXPECT_GE(siteAtLine(p, 21)->host.max_ns, 19000000u);
}

TEST_F(Order, HashesGoIntoTheStreamOfTheCopy) {
  uint64_t stream = makeStream(true);
  uploadAsync(20, d, host.data(), stream);
  uploadAsync(20, d, host.data(), stream);
  EXPECT_EQ(engine.streams, (std::vector<uint64_t>{stream, stream}));
}

TEST_F(Order, RepeatsBetweenRefusedLooksAreLeftOutForTheSameReason) {
  start("audit=sampled:budget=100");
  d = alloc(10);
  other = alloc(11);
  run(makeStream(true));
  for (int i = 0; i < 61; ++i)
    copyDevice(20, d, other);
  EXPECT_EQ(figures().skipped_busy, 60u);
  EXPECT_EQ(figures().skipped_budget, 0u);
  start("budget=2");
}

TEST_F(Order, NeverBesideAKernelOfAnotherStream) {
  uint64_t busy = makeStream(true);
  run(busy);
  EXPECT_EQ(hashesOf([&] {
              for (int i = 0; i < 5; ++i)
                upload(20, d, host.data());
            }),
            0u);
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely") << "the host's witness stays on";
  EXPECT_EQ(figures().skipped_busy, 0u);
  EXPECT_EQ(figures().eligible_bytes, 4 * Bytes);
  syncStream(busy);
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
}

TEST_F(Order, KernelsOfBlockingStreamsComeBeforeTheDefaultStream) {
  run(makeStream(false));
  upload(20, d, host.data());
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
}

TEST_F(Order, AStreamThatWeDidNotSeeBeingMadeIsOrderedWithNothing) {
  run(0x9999);
  upload(20, d, host.data());
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 0u);
}

TEST_F(Order, EventsPutKernelsBeforeTheCopy) {
  uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d, host.data(), two);
  run(one);
  record(0x51, one);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), two); }), 0u);
  wait(two, 0x51);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), two); }), 0u)
      << "the kernel may wait for what is launched later";
  upload(21, d, host.data());
  wait(0, 0x51);
  EXPECT_EQ(hashesOf([&] { upload(21, d, host.data()); }), 2u) << "nothing is launched meanwhile";
  run(one); // after the record: nobody waits for this one
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), two); }), 0u);
}

TEST_F(Order, QueriesThatSayDone) {
  uint64_t one = makeStream(true);
  upload(20, d, host.data());
  run(one);
  record(0x52, one);
  simple(GPUINSTR_OP_QUERY, "cudaEventQuery", 870, 0, 0x52, 1);
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
  run(one);
  simple(GPUINSTR_OP_QUERY, "cudaStreamQuery", 871, one, one, 0);
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
  run(one);
  syncDevice();
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
}

TEST_F(Order, ADestroyedStreamMayStillRun) {
  uint64_t busy = makeStream(true);
  upload(20, d, host.data());
  run(busy);
  f.frame.slot[GPUINSTR_SLOT_DST] = busy;
  f.call(site(GPUINSTR_OP_DESTROY, "cudaStreamDestroy", 855, bit(GPUINSTR_SLOT_DST),
              GPUINSTR_RES_STREAM),
         [] { return 0; });
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 0u);
  syncDevice();
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
}

TEST_F(Order, AKernelThatWritesAllAlongIsAReason) {
  // Started once before the loop, never waited for: it may write the flag at any time.
  uint64_t busy = makeStream(true);
  launch("writer", {parameter(Writes)}, {d}, busy);
  syncStream(busy);
  for (int i = 0; i < 4; ++i)
    upload(20, d, host.data());
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  launch("writer", {parameter(Writes)}, {d}, busy);
  record(0x53, busy);
  for (int i = 0; i < 4; ++i)
    upload(20, d, host.data());
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely");
}

TEST_F(Order, NothingUnderCapture) {
  uint64_t stream = makeStream(false);
  simple(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCapture", 880, stream);
  FakeDriver::Capturing = true;
  for (int i = 0; i < 6; ++i)
    uploadAsync(20, d, host.data(), stream);
  FakeDriver::Capturing = false;
  simple(GPUINSTR_OP_CAPTURE_END, "cudaStreamEndCapture", 881, stream);
  EXPECT_EQ(engine.hashes, 0u);
  EXPECT_TRUE(none("noop-copy"));
  EXPECT_EQ(figures().eligible, 0u) << "nothing was copied";
}

/// By the attribute that ties the launch to its neighbours: programmatic stream serialisation,
/// programmatic event, launch completion event.
class Dependent : public Order, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(, Dependent, testing::Values(6, 7, 12));

TEST_P(Dependent, NothingAroundDependentLaunches) {
  struct {
    char shape[32];
    uint64_t stream;
    const char *attributes;
    unsigned count;
  } config = {};
  alignas(8) char attribute[72] = {char(GetParam())};
  config.stream = makeStream(false);
  config.attributes = attribute;
  config.count = 1;
  f.frame.slot[GPUINSTR_SLOT_PARAMS] = reinterpret_cast<uint64_t>(&config);
  f.call(site(GPUINSTR_OP_LAUNCH, "cudaLaunchKernelExC", 810, bit(GPUINSTR_SLOT_PARAMS)),
         [] { return 0; });
  uploadAsync(20, d, host.data(), config.stream);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), config.stream); }), 0u);
  EXPECT_EQ(figures().verified, 1u) << "the host's witness";
}

TEST_F(Order, ALaunchBesideWaitingHashesComesBehindThemOnTheDevice) {
  start("audit=sampled:budget=100");
  d = alloc(10);
  engine.late = true;
  uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d, host.data(), one);
  uploadAsync(20, d, host.data(), one);
  EXPECT_EQ(engine.hashes, 2u);
  run(two);
  EXPECT_EQ(engine.waits, 0u);
  EXPECT_EQ(engine.behind, (decltype(engine.behind){{one, two}}));
  run(two);
  EXPECT_EQ(engine.behind.size(), 1u) << "it comes behind them already";
  syncStream(two);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), one); }), 0u)
      << "what could run side by side is not held up again";
  upload(21, d, host.data());
  EXPECT_EQ(hashesOf([&] { upload(21, d, host.data()); }), 2u) << "blocking calls may go on";
  start("budget=2");
}

TEST_F(Order, ALaunchThatTheProgramPutBehindTheHashesIsLeftAlone) {
  engine.late = true;
  uint64_t one = makeStream(true), two = makeStream(true), three = makeStream(true);
  uploadAsync(20, d, host.data(), one);
  uploadAsync(20, d, host.data(), one);
  record(0x61, one);
  wait(two, 0x61);
  run(two);
  EXPECT_EQ(engine.behind.size(), 0u);
  record(0x62, two);
  wait(three, 0x62); // by way of another stream
  run(three);
  run(one);
  EXPECT_EQ(engine.behind.size(), 0u);
}

TEST_F(Order, AnEventRecordedBeforeTheHashesPutsNothingBehindThem) {
  engine.late = true;
  uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d, host.data(), one);
  record(0x63, one);
  uploadAsync(20, d, host.data(), one);
  wait(two, 0x63);
  run(two);
  EXPECT_EQ(engine.behind, (decltype(engine.behind){{one, two}}));
}

TEST_F(Order, GraphsComeBehindWaitingHashesToo) {
  engine.late = true;
  uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d, host.data(), one);
  uploadAsync(20, d, host.data(), one);
  simple(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 830, two, 0x77);
  EXPECT_EQ(engine.behind, (decltype(engine.behind){{one, two}}));
}

TEST_F(Order, NothingIsOrderedUnderCapture) {
  engine.late = true;
  uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d, host.data(), one);
  uploadAsync(20, d, host.data(), one);
  simple(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCapture", 880, two);
  FakeDriver::Capturing = true;
  run(two);
  FakeDriver::Capturing = false;
  EXPECT_EQ(engine.behind.size(), 0u);
}

TEST_F(Order, BehindAKernelAnAsynchronousCopyIsHashedOnlyWhenTheKernelHasEnded) {
  uint64_t stream = makeStream(true);
  uploadAsync(20, d, host.data(), stream);
  run(stream);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), stream); }), 0u)
      << "the kernel may wait for one that is still to be launched";
  EXPECT_EQ(figures().verified, 1u) << "the host's witness";
  engine.idle = true;
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), stream); }), 2u);
  engine.idle = false;
  run(stream);
  syncStream(stream);
  EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), stream); }), 2u);
}

TEST_F(Order, BehindWhatMayWaitForTheHostNothingIsHashedAsynchronously) {
  uint64_t stream = makeStream(true), other = makeStream(true);
  uploadAsync(20, d, host.data(), stream);
  struct {
    unsigned op;
    const char *callee;
    uint64_t event;
    uint16_t detail;
  } holds[] = {{GPUINSTR_OP_HOST_FUNC, "cudaLaunchHostFunc", 0, 0},
               {GPUINSTR_OP_WAIT_EVENT, "cuStreamWaitValue32", 0, 1},
               {GPUINSTR_OP_WAIT_EVENT, "cudaStreamWaitEvent", 0xeeee, 0}};
  unsigned line = 840;
  for (auto &hold : holds)
    for (uint64_t held : {stream, other}) {
      simple(hold.op, hold.callee, line++, held, hold.event, hold.detail);
      EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), stream); }), 0u) << hold.callee;
      syncStream(held);
      EXPECT_EQ(hashesOf([&] { uploadAsync(20, d, host.data(), stream); }), 2u) << hold.callee;
    }
}

TEST_F(Order, DownloadsAreJudgedByTheHostUnlessAHostFunctionMayWriteThere) {
  uint64_t busy = makeStream(true), held = makeStream(true);
  std::vector<char> back(Bytes);
  download(21, back.data(), d);
  run(busy); // a hash may not go in
  auto looks = [&] {
    uint64_t before = figures().verified;
    download(21, back.data(), d);
    return figures().verified - before;
  };
  EXPECT_EQ(looks(), 1u);
  simple(GPUINSTR_OP_HOST_FUNC, "cudaLaunchHostFunc", 850, held);
  EXPECT_EQ(looks(), 0u);
  syncStream(held);
  EXPECT_EQ(looks(), 1u);
}

TEST_F(Order, WithSeveralThreadsBlockingCallsWaitFirstAndHashThen) {
  std::thread([&] {
    Function own;
    own.call(site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 902, 0), [] { return 0; });
  }).join();
  uint64_t busy = makeStream(true);
  upload(20, d, host.data());
  run(0);
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 2u);
  EXPECT_EQ(engine.settled, 1u) << "before its hashes, so that these are sure to end";
  EXPECT_FALSE(engine.markers.empty());
  run(busy);
  EXPECT_EQ(hashesOf([&] { upload(20, d, host.data()); }), 0u);
}

TEST_F(Order, AHashThatArrivesAfterTheFreeStillSaysWhatWasFreed) {
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = char(i * 31 % 251); // equal elements would be told as such
  uint64_t stream = makeStream(true);
  std::vector<char> otherBytes = host;
  otherBytes[99] = 5;
  for (int i = 0; i < 7; ++i) {
    engine.late = true;
    char *buffer = alloc(12, Bytes, GPUINSTR_RES_ASYNC);
    uploadAsync(22, buffer, i == 6 ? otherBytes.data() : host.data(), stream);
    launch("reader", {parameter(Reads)}, {buffer}, stream); // not a dead copy
    free(13, buffer, GPUINSTR_RES_ASYNC);
    engine.arrive();
    syncStream(stream);
  }
  profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "advice") << "the last one was new";
  EXPECT_GE(found.count, 3u);
  EXPECT_EQ(found.checked, found.count + 1);
  EXPECT_EQ(engine.open(), 0u);
}

TEST_F(Order, WithoutABudgetNothingIsHashedAndThatIsSaid) {
  start("audit=sampled:budget=0");
  d = alloc(10);
  for (int i = 0; i < 5; ++i)
    upload(20, d, host.data());
  EXPECT_EQ(engine.hashes, 0u);
  EXPECT_EQ(profileNow().coverage.audit.mode.text(), "off");
  start("budget=2");
}

TEST_F(Order, TheBudgetBoundsWhatIsHashed) {
  start("audit=sampled:budget=1");
  d = alloc(10);
  for (int i = 0; i < 3000; ++i)
    upload(20, d, host.data());
  profile::Audit audit = figures();
  EXPECT_EQ(audit.eligible, 2999u);
  EXPECT_GE(audit.verified, 3u);
  EXPECT_GT(audit.skipped_budget, 1000u);
  EXPECT_EQ(audit.verified + audit.skipped_budget, audit.eligible);
  profile::Finding found = finding("noop-copy");
  EXPECT_EQ(found.grade.text(), "proven");
  EXPECT_GE(found.count, audit.verified);
  EXPECT_LE(found.count, 2999u) << "behind the last look other bytes may have been sent";
  EXPECT_EQ(found.checked, audit.verified);
  free(11, d);
  EXPECT_EQ(finding("noop-copy").count, 2999u) << "seen before the free: they were not";
  start("budget=2");
}

TEST_F(Order, OffLooksAtNothing) {
  start("audit=off");
  d = alloc(10);
  for (int i = 0; i < 9; ++i)
    upload(20, d, host.data(), 64);
  EXPECT_EQ(engine.hashes, 0u);
  EXPECT_TRUE(none("small-copies"));
  EXPECT_EQ(profileNow().coverage.audit.mode.text(), "off");
}

TEST_F(Order, ResetOfTheDeviceForgetsItsMemory) {
  engine.late = true;
  uint64_t stream = makeStream(false);
  for (int i = 0; i < 4; ++i)
    uploadAsync(20, d, host.data(), stream);
  f.call(site(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 890, 0), [] { return 0; });
  engine.arrive();
  EXPECT_TRUE(none("noop-copy")) << "what had not arrived never will";
  EXPECT_EQ(audit::auditor().keys.size(), 0u);
}

TEST_F(Order, AnotherContextIsLeftAlone) {
  FakeDriver::Device = 1;
  for (int i = 0; i < 5; ++i)
    upload(20, d, host.data());
  FakeDriver::Device = 0;
  EXPECT_EQ(engine.hashes, 0u);
  EXPECT_EQ(finding("noop-copy").grade.text(), "likely") << "the host's witness stays on";
}

TEST_F(Order, WhatAGraphUploadsMayHoldAnyAddress) {
  audit::Auditor &a = audit::auditor();
  constexpr uint64_t Graph = 7, Executable = 8;
  a.graphs.created(Graph);
  auto slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_ARGS) | bit(GPUINSTR_SLOT_SRC) |
               bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_KIND);
  f.frame.slot[GPUINSTR_SLOT_DST] = Graph;
  f.frame.slot[GPUINSTR_SLOT_ARGS] = reinterpret_cast<uint64_t>(d);
  f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(host.data());
  f.frame.slot[GPUINSTR_SLOT_BYTES] = Bytes;
  f.frame.slot[GPUINSTR_SLOT_KIND] = 1;
  f.call(site(GPUINSTR_OP_GRAPH_NODE, "cudaGraphAddMemcpyNode1D", 900, slots, 0, 0, 4),
         [] { return 0; });
  a.graphs.instantiated(Executable, Graph);
  EXPECT_FALSE(a.ranges.unscanned.load());
  f.frame.slot[GPUINSTR_SLOT_DST] = Executable;
  f.call(site(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 901, bit(GPUINSTR_SLOT_DST)),
         [] { return 0; });
  EXPECT_TRUE(a.ranges.unscanned.load());
}

TEST_F(Order, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<char *> blocks;
  for (int t = 0; t < 4; ++t)
    blocks.push_back(alloc(unsigned(100 + t), 4096));
  for (char *block : blocks) // own.copy() below moves no bytes
    std::memcpy(block, host.data(), 4096);
  gpuinstr_site *copy = site(GPUINSTR_OP_COPY, "cudaMemcpy", 120, CopySlots);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Function own;
      own.frame.slot[GPUINSTR_SLOT_KIND] = 1;
      for (int i = 0; i < 500; ++i)
        own.copy(copy, reinterpret_cast<uint64_t>(blocks[size_t(t)]),
                 reinterpret_cast<uint64_t>(host.data()), 4096);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(finding("noop-copy").count, 4 * 499u);
  EXPECT_EQ(engine.open(), 0u);
}

TEST_F(Order, FirstCallsOfSeveralThreadsDecideOnce) {
  audit::resetAuditor();
  ASSERT_FALSE(audit::auditor().decided);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      if (!audit::auditor().decided)
        audit::auditor().decide();
      EXPECT_TRUE(audit::auditor().active);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_TRUE(audit::auditor().decided);
  EXPECT_EQ(audit::auditor().note, "");
}

} // namespace
