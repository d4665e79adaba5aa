// In which calls the engine is made: those that may wait anyway, and with one thread in any wait.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

audit::DeviceHasher *Engine = nullptr;
bool Made = false;

struct EngineMoments : AuditTest {
  void SetUp() override {
    AuditTest::SetUp();
    Engine = &engine;
    Made = false;
    audit::EngineSource = [](bool create) -> audit::DeviceHasher * {
      Made |= create;
      return Made ? Engine : nullptr;
    };
  }
  void waitOnAnotherThread(uint64_t stream) {
    std::thread([&] {
      Function own;
      own.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
      own.call(
          site(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 910, 1u << GPUINSTR_SLOT_STREAM),
          [] { return 0; });
    }).join();
  }
  void poll(uint64_t stream) { launch("poller", {parameter(Unseen)}, {nullptr}, stream); }
};

TEST_F(EngineMoments, AnAllocationBlocks) {
  alloc(10, Bytes, GPUINSTR_RES_ASYNC);
  EXPECT_FALSE(Made);
  alloc(11);
  EXPECT_TRUE(Made);
}

TEST_F(EngineMoments, OneOfPinnedMemoryDoes) {
  alloc(10, Bytes, GPUINSTR_RES_PINNED);
  EXPECT_TRUE(Made);
}

TEST_F(EngineMoments, OneOfPinnedMemoryBesideAKernelThatMayWait) {
  poll(makeStream(true));
  alloc(10, Bytes, GPUINSTR_RES_PINNED);
  EXPECT_FALSE(Made);
}

TEST_F(EngineMoments, AWaitForAStreamWhereAThreadIsAlone) {
  const uint64_t stream = makeStream(true);
  poll(stream);
  syncStream(stream);
  EXPECT_TRUE(Made);
}

TEST_F(EngineMoments, AWaitForAStreamBesideAnother) {
  const uint64_t stream = makeStream(true);
  poll(makeStream(true));
  syncStream(stream);
  EXPECT_FALSE(Made);
}

TEST_F(EngineMoments, AWaitForAStreamBesideAnotherThread) {
  const uint64_t stream = makeStream(true);
  waitOnAnotherThread(stream);
  EXPECT_FALSE(Made);
  syncStream(stream);
  EXPECT_FALSE(Made);
  alloc(10);
  EXPECT_TRUE(Made);
}

TEST_F(EngineMoments, AWaitForTheDeviceBesideAnotherThread) {
  const uint64_t stream = makeStream(true);
  waitOnAnotherThread(stream);
  syncStream(stream);
  launch("writer", {parameter(Writes)}, {nullptr}, stream, GPUINSTR_KERNEL_ENDS);
  EXPECT_FALSE(Made);
  syncDevice(); // the one stream that there is was met before
  EXPECT_TRUE(Made);
}

} // namespace
