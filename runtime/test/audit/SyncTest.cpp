// What the short way of synchronisations must not miss: other streams, events, needless ones.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// The first wait for a stream goes the long way, the next ones the short one.
struct Sync : TwoBuffers {
  void runAndWait(uint64_t stream) {
    for (int i = 0; i < 4; ++i) {
      run(stream);
      syncStream(stream);
    }
  }
  void event(unsigned op, const char *name, uint64_t stream) { simple(op, name, 860, stream, 77); }
  /// Whether a copy in a stream that nothing orders gets hashes: no kernel may be running then.
  bool isQuiet(uint64_t stream) {
    unsigned before = engine.hashes;
    uploadAsync(20, d, host.data(), stream);
    return engine.hashes != before;
  }
};

TEST_F(Sync, TheSameStreamOverAndOver) {
  uint64_t busy = makeStream(true), copies = makeStream(true);
  isQuiet(copies); // the first is no repeat
  for (int i = 0; i < 4; ++i) {
    run(busy);
    EXPECT_FALSE(isQuiet(copies)) << i;
    syncStream(busy);
    EXPECT_TRUE(isQuiet(copies)) << i;
  }
}

TEST_F(Sync, TheLegacyStreamWaitsForStreamsMadeLater) {
  runAndWait(0);
  uint64_t blocking = makeStream(false), copies = makeStream(true);
  isQuiet(copies);
  run(blocking);
  run(0);
  EXPECT_FALSE(isQuiet(copies));
  syncStream(0);
  EXPECT_TRUE(isQuiet(copies));
}

TEST_F(Sync, TheDeviceWaitsForStreamsMadeLater) {
  for (int i = 0; i < 4; ++i) {
    run(0);
    syncDevice();
  }
  uint64_t busy = makeStream(true), copies = makeStream(true);
  isQuiet(copies);
  run(busy);
  run(0);
  EXPECT_FALSE(isQuiet(copies));
  syncDevice();
  EXPECT_TRUE(isQuiet(copies));
}

TEST_F(Sync, AStreamThatWaitedForAnEventBringsTheOther) {
  uint64_t busy = makeStream(true), waiter = makeStream(true), copies = makeStream(true);
  isQuiet(copies);
  runAndWait(waiter);
  run(busy);
  event(GPUINSTR_OP_RECORD_EVENT, "cudaEventRecord", busy);
  event(GPUINSTR_OP_WAIT_EVENT, "cudaStreamWaitEvent", waiter);
  run(waiter);
  EXPECT_FALSE(isQuiet(copies));
  syncStream(waiter);
  EXPECT_TRUE(isQuiet(copies));
}

TEST_F(Sync, AnotherStreamsWorkIsNotOver) {
  uint64_t busy = makeStream(true), waiter = makeStream(true), copies = makeStream(true);
  isQuiet(copies);
  runAndWait(waiter);
  run(busy);
  run(waiter);
  syncStream(waiter);
  EXPECT_FALSE(isQuiet(copies));
}

TEST_F(Sync, NothingToWaitForIsStillSeen) {
  runAndWait(0);
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 3; ++i)
    syncStream(0);
  EXPECT_EQ(finding("needless-sync").count, 3u);
  runAndWait(0);
  EXPECT_EQ(finding("needless-sync").count, 3u);
}

TEST_F(Sync, MemoryOfAStreamIsThereWhenTheStreamHasComeSoFar) {
  runAndWait(0);
  for (int i = 0; i < 4; ++i) {
    char *memory = alloc(34, Bytes, GPUINSTR_RES_ASYNC);
    syncStream(0);
    free(35, memory);
  }
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(Sync, BehindAFreeThatWaitedThereIsNothingToWaitFor) {
  auto rounds = [&](auto between, unsigned resource) {
    for (int i = 0; i < 3; ++i) {
      char *memory = alloc(31, Bytes, resource);
      run(0);
      free(32, memory, resource);
      between();
      syncDevice();
    }
  };
  rounds([&] { run(0); }, GPUINSTR_RES_DEVICE);
  rounds([&] { uploadAsync(33, d, host.data(), 0); }, GPUINSTR_RES_DEVICE);
  rounds([] {}, GPUINSTR_RES_PINNED);
  EXPECT_TRUE(none("needless-sync"));
  rounds([] {}, GPUINSTR_RES_DEVICE);
  EXPECT_EQ(finding("needless-sync").count, 3u);
}

/// Waits behind which the plugin saw launches alone.
struct QuietSync : Sync {
  void downloadAsync(unsigned line) {
    constexpr uint32_t Slots = 1u << GPUINSTR_SLOT_DST | 1u << GPUINSTR_SLOT_SRC |
                               1u << GPUINSTR_SLOT_BYTES | 1u << GPUINSTR_SLOT_KIND |
                               1u << GPUINSTR_SLOT_STREAM;
    Function own;
    own.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(host.data());
    own.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(d);
    own.frame.slot[GPUINSTR_SLOT_BYTES] = Bytes;
    own.frame.slot[GPUINSTR_SLOT_KIND] = 2;
    own.frame.slot[GPUINSTR_SLOT_STREAM] = 0;
    own.call(site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", line, Slots, 0, GPUINSTR_SITE_ASYNC),
             [] { return 0; });
  }
  void waitQuietly() {
    f.call(site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 910, 0, 0, GPUINSTR_SITE_QUIET),
           [] { return 0; });
  }
  void rounds() {
    for (int i = 0; i < 6; ++i) {
      run(0);
      waitQuietly();
    }
  }
};

TEST_F(QuietSync, LaunchesOfOneStreamFollow) {
  rounds();
  download(30, host.data(), d); // behind the last one
  profile::Finding found = finding("needless-sync");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 5u);
  EXPECT_NE(found.message.find("before launches into the same stream"), std::string::npos);
}

TEST_F(QuietSync, WhatWasAskedForMayBeThereOnlyThen) {
  for (int i = 0; i < 6; ++i) {
    run(0);
    downloadAsync(30); // into pageable memory: the call might not wait
    waitQuietly();
  }
  run(0);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(QuietSync, ALibraryWaitsForWhatItsUserCannotSee) {
  const gpuinstr_site *region = site(GPUINSTR_OP_REGION, "thrust::reduce", 913, 0);
  Function reduces;
  for (int i = 0; i < 6; ++i) {
    run(0);
    reduces.call(region, [&] {
      waitQuietly();
      syncDevice(); // nothing is left to wait for
      return 0;
    });
  }
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(QuietSync, SomethingElseFollows) {
  for (int i = 0; i < 6; ++i) {
    run(0);
    waitQuietly();
    download(30, host.data(), d);
    run(0);
    waitQuietly();
    free(32, alloc(31));
  }
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(QuietSync, AnotherStreamMayNeedIt) {
  makeStream(true);
  run(makeStream(true));
  rounds();
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(QuietSync, AnotherProcessMayNeedIt) {
  simple(GPUINSTR_OP_EXPORT, "cudaIpcGetMemHandle", 915, 0, reinterpret_cast<uint64_t>(d));
  rounds();
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(QuietSync, TheFreeThatWaitsAsWellComesTooLate) {
  auto rounds = [&](unsigned from, uint32_t flags, auto work) {
    for (int i = 0; i < 6; ++i) {
      char *scratch = alloc(from);
      run(0);
      work();
      f.call(site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", from + 1, 0, 0, flags),
             [] { return 0; });
      free(from + 2, scratch);
    }
  };
  rounds(50, 0, [] {});                                            // a clock may be read there
  rounds(60, GPUINSTR_SITE_QUIET_ALL, [&] { downloadAsync(30); }); // ... and what it brings
  EXPECT_TRUE(none("needless-sync"));
  rounds(70, GPUINSTR_SITE_QUIET_ALL, [] {});
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

/// Memory that the host reaches, too.
struct SharedMemory : QuietSync {
  char *shared = nullptr;
  void SetUp() override {
    QuietSync::SetUp();
    shared = alloc(31, Bytes, GPUINSTR_RES_PINNED);
  }
  template <class Work> void roundsOf(Work work) {
    for (int i = 0; i < 6; ++i) {
      work();
      waitQuietly();
    }
    run(0);
  }
};

TEST_F(SharedMemory, TheHostMayReadWhatKernelsWrote) {
  roundsOf([&] { launch("writer", {parameter(Writes)}, {shared}); });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(SharedMemory, TheHostMayWriteWhatKernelsRead) {
  roundsOf([&] { launch("reader", {parameter(Reads)}, {shared}); });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(SharedMemory, KernelsMayFindItAnywhere) {
  roundsOf([&] { launch("unknown", {parameter(GPUINSTR_ACCESS_UNKNOWN)}, {shared}); });
  roundsOf([&] { run(0); });
  EXPECT_TRUE(none("needless-sync")) << "it may have been kept in a variable";
}

TEST_F(SharedMemory, CopiesMayBeWhatIsWaitedFor) {
  roundsOf([&] {
    run(0);
    uploadAsync(20, d, shared, 0);
  });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(SharedMemory, NoKernelGetsIt) {
  roundsOf([&] { run(0); });
  EXPECT_EQ(finding("needless-sync").count, 4u)
      << "but the first, as nobody knows what was before, "
         "and the last, as no call follows";
}

TEST_F(SharedMemory, ItMayHaveAnAddressOfItsOwnForKernels) {
  alloc(32, Bytes, GPUINSTR_RES_REGISTERED);
  roundsOf([&] { run(0); });
  EXPECT_TRUE(none("needless-sync"));
}

/// Waits behind which the plugin saw no clock and no unknown code on any way.
struct WaitBeforeCopy : Sync {
  gpuinstr_site *wait(uint32_t flags) {
    return site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 911, 0, 0, flags);
  }
  gpuinstr_site *calledAt(uint32_t flags) {
    return site(GPUINSTR_OP_CALLER, "finish", 912, 0, 0, flags);
  }
  template <class Next> void rounds(Function &in, uint32_t flags, Next next) {
    for (int i = 0; i < 6; ++i) {
      run(0);
      in.call(wait(flags), [] { return 0; });
      next();
    }
  }
  void rounds(Function &in, uint32_t flags) {
    rounds(in, flags, [&] { download(30, host.data(), d); });
  }
  static constexpr uint32_t All = GPUINSTR_SITE_QUIET_ALL, Out = All | GPUINSTR_SITE_QUIET_OUT;
};

TEST_F(WaitBeforeCopy, TheCopyWaitsAsWell) {
  rounds(f, All);
  profile::Finding found = finding("needless-sync");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 6u);
  EXPECT_NE(found.message.find("which waits for the same work"), std::string::npos);
}

/// What it may bring to the host by itself is read before the copy.
TEST_F(WaitBeforeCopy, BehindALibraryOfWhichNothingIsKnown) {
  rounds(f, All, [&] {
    download(30, host.data(), d);
    simple(GPUINSTR_OP_LIBRARY, "nvjpegDecode", 60);
  });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, TheCallerDecidesBehindTheFunction) {
  Function called(calledAt(All));
  rounds(called, Out);
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

TEST_F(WaitBeforeCopy, TheCallersWayLeadsToALaunch) {
  Function called(calledAt(GPUINSTR_SITE_QUIET));
  rounds(called, Out, [] {});
  download(30, host.data(), d); // behind the last one
  profile::Finding found = finding("needless-sync");
  EXPECT_EQ(found.count, 5u);
  EXPECT_NE(found.message.find("before launches into the same stream"), std::string::npos);
}

TEST_F(WaitBeforeCopy, TheCallersWayLeadsToALaunchThisOnesDoesNot) {
  Function called(calledAt(GPUINSTR_SITE_QUIET));
  rounds(called, 0, [] {});
  download(30, host.data(), d);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, TheCallerReadsAClock) {
  Function called(calledAt(0));
  rounds(called, Out);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, TheCallerIsNotKnown) {
  rounds(f, Out);
  EXPECT_TRUE(none("needless-sync"));
}

/// The caller goes on with a function elsewhere: what that one calls first shows which it was.
struct WaitBeforeUnseen : WaitBeforeCopy {
  static constexpr uint16_t First = 7, Second = 9;
  gpuinstr_site *callOf(uint16_t number, uint16_t next, uint32_t flags = 0) {
    return site(GPUINSTR_OP_CALLER, "layer", 920 + number, number, 0, flags, next);
  }
  /// `next`: what the plugin says follows behind the first function's call.
  void rounds(uint16_t next, uint32_t flagsOfSecond, uint32_t flagsOfFirst = Out,
              uint32_t flagsOfNext = 0) {
    Function first(callOf(First, next, flagsOfNext)), second(callOf(Second, 0));
    for (int i = 0; i < 6; ++i) {
      run(0);
      first.call(wait(flagsOfFirst), [] { return 0; });
      run(0);
      second.call(site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 913, 0, 0, flagsOfSecond),
                  [] { return 0; });
    }
  }
};

TEST_F(WaitBeforeUnseen, ItCallsCudaFirst) {
  rounds(Second, GPUINSTR_SITE_QUIET_IN);
  profile::Finding found = finding("needless-sync");
  EXPECT_EQ(found.count, 6u);
  EXPECT_NE(found.message.find("before launches into the same stream"), std::string::npos);
}

TEST_F(WaitBeforeUnseen, ItMayLookAtAClockFirst) {
  rounds(Second, 0);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeUnseen, AnotherOneComesBetween) {
  rounds(Second - 1, GPUINSTR_SITE_QUIET_IN);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeUnseen, TheFirstFunctionGoesOn) {
  rounds(Second, GPUINSTR_SITE_QUIET_IN, 0);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeUnseen, ItIsOneOfTwo) {
  rounds(Second << 8 | 11, GPUINSTR_SITE_QUIET_IN, Out, GPUINSTR_SITE_QUIET_TWO);
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

TEST_F(WaitBeforeUnseen, ItIsNeitherOfTwo) {
  rounds(Second + 1 | 11 << 8, GPUINSTR_SITE_QUIET_IN, Out, GPUINSTR_SITE_QUIET_TWO);
  EXPECT_TRUE(none("needless-sync"));
}

/// ... and then it is called again, with a look at the clock between.
TEST_F(WaitBeforeUnseen, ItMayHaveReturnedBefore) {
  rounds(Second, GPUINSTR_SITE_QUIET_IN | GPUINSTR_SITE_QUIET_SKIPS);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeUnseen, ItMayHaveReturnedBeforeButIsCalledOnce) {
  rounds(Second, GPUINSTR_SITE_QUIET_IN | GPUINSTR_SITE_QUIET_SKIPS, Out, GPUINSTR_SITE_QUIET_ONCE);
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

TEST_F(WaitBeforeUnseen, ItFreesFirst) {
  Function first(callOf(First, Second)), second(callOf(Second, 0));
  for (int i = 0; i < 6; ++i) {
    const uint64_t memory = reinterpret_cast<uint64_t>(alloc(31));
    run(0);
    first.call(wait(Out), [] { return 0; });
    second.free(site(GPUINSTR_OP_FREE, "cudaFree", 914, FreeSlots, GPUINSTR_RES_DEVICE,
                     GPUINSTR_SITE_QUIET_IN),
                memory);
  }
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

TEST_F(WaitBeforeUnseen, AnExceptionLeadsElsewhereAndTheLibraryGoes) {
  gpuinstr_site gone = *callOf(First, Second);
  gone.index = 0;
  gpuinstr_module *module = registerAll({&gone});
  Function first(&gone), second(callOf(Second, 0));
  for (int i = 0; i < 6; ++i) {
    run(0);
    first.call(wait(Out), [] { return 0; });
    if (i == 5) {
      table().unregister_module(module);
      gone.function = gone.file = reinterpret_cast<const char *>(1); // unmapped
    }
    run(0);
    second.call(
        site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 913, 0, 0, GPUINSTR_SITE_QUIET_IN),
        [] { return 0; });
  }
  EXPECT_EQ(finding("needless-sync").count, 6u);
}

TEST_F(WaitBeforeCopy, AnotherCallComesFirst) {
  rounds(f, All, [&] {
    event(GPUINSTR_OP_RECORD_EVENT, "cudaEventRecord", 0);
    download(30, host.data(), d);
  });
  rounds(f, All, [&] { free(32, alloc(31)); });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, TheCopyIsAnotherStreams) {
  uint64_t busy = makeStream(true);
  for (int i = 0; i < 6; ++i) {
    run(busy);
    f.call(wait(All), [] { return 0; });
    download(30, host.data(), d);
  }
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, TheHostMayReadWhatKernelsWrote) {
  char *shared = alloc(31, Bytes, GPUINSTR_RES_PINNED);
  rounds(f, All, [&] {
    download(30, host.data(), d);
    launch("writer", {parameter(Writes)}, {shared});
  });
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(WaitBeforeCopy, NoKernelGotWhatTheHostReads) {
  alloc(31, Bytes, GPUINSTR_RES_PINNED);
  rounds(f, All);
  EXPECT_EQ(finding("needless-sync").count, 5u);
}

TEST_F(QuietSync, AnOrdinaryWaitSaysNothing) {
  runAndWait(0);
  EXPECT_TRUE(none("needless-sync"));
}

TEST_F(Sync, AnswersThatArrivedAreTakenIn) {
  engine.late = true;
  uint64_t stream = makeStream(false);
  runAndWait(stream);
  for (int i = 0; i < 5; ++i)
    uploadAsync(20, d, host.data(), stream);
  engine.arrive();
  run(stream);
  syncStream(stream);
  EXPECT_EQ(engine.open(), 0u);
}

} // namespace
