// However many look at a call, its operands are decoded once; and never are they a former call's.
// SPDX-License-Identifier: Apache-2.0
#include "calls/fast/FastLaunchPath.h"
#include "calls/threads/DecodedOperands.h"
#include "test/time/FakeDevice.h"
#include "test/trace/TraceSupport.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Everybody looks: the ledger, the auditor, the sampled times and the trace.
class DecodeOnce : public testing::Test {
protected:
  void start(const char *options) {
    Path = testing::TempDir() + "/gpuinstr-" + std::to_string(getpid()) + ".trace";
    setenv("GPUINSTR_OPTIONS", ("report=off:" + std::string(options) + ":trace=" + Path).c_str(),
           1);
    FakeDriver::install();
    table();
    FakeDevice::install();
    registerAll({Alloc, Copy, Launch, Stub});
    F.alloc(Alloc, 0x100000, 4096); // CUDA is up
  }
  void TearDown() override { unlink(Path.c_str()); }
  uint32_t decodingsOf(const std::function<void()> &call) {
    uint32_t before = Self->decodings;
    call();
    return Self->decodings - before;
  }
  void copy(uint64_t bytes = 16) {
    F.frame.slot[GPUINSTR_SLOT_KIND] = 1;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    F.copy(Copy, 0x100000, reinterpret_cast<uint64_t>(Host), bytes);
  }
  static constexpr uint32_t Flags = GPUINSTR_SITE_CUDA_ERROR;
  gpuinstr_site *Alloc =
      makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 5, GPUINSTR_RES_DEVICE, Flags, AllocSlots);
  gpuinstr_site *Copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 20, 0, Flags,
                                 CopySlots | bit(GPUINSTR_SLOT_STREAM));
  gpuinstr_site *Launch =
      makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 10, 0, Flags, LaunchSlots);
  gpuinstr_site *Stub = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 30, 0, GPUINSTR_SITE_ASYNC);
  alignas(64) char Host[256] = {};
  std::string Path;
  Function F;
};

TEST_F(DecodeOnce, WhoeverLooks) {
  start("gpu_time=sampled:audit=full");
  for (int i = 0; i < 4; ++i) { // the first few are timed and hashed each
    EXPECT_EQ(decodingsOf([&] { copy(); }), 1u);
    EXPECT_EQ(decodingsOf([&] { F.call(Launch, [] { return 0; }); }), 1u);
    EXPECT_EQ(decodingsOf([&] { F.alloc(Alloc, 0x200000 + 0x1000 * i, 64); }), 1u);
  }
  EXPECT_GT(FakeDevice::Records, 0);
}

TEST_F(DecodeOnce, TheSameSiteAndFrameAgainIsAnotherCall) {
  start("gpu_time=sampled:audit=off");
  uint64_t seen = 0;
  for (uint64_t bytes : {16, 32, 64}) {
    F.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
    F.call(Copy, [&] {
      seen += operandsOf(*Self, F.frame).bytes;
      return 0;
    });
  }
  EXPECT_EQ(seen, 16u + 32 + 64);
}

TEST_F(DecodeOnce, NestedCallsKeepTheirOwn) {
  start("gpu_time=off:audit=off");
  Function frames[7];
  uint64_t inner = 0, outer = 0;
  gpuinstr_site *library =
      makeSite(GPUINSTR_OP_LIBRARY, "cublas", 40, 0, 0, bit(GPUINSTR_SLOT_STREAM));
  registerAll({library});
  std::function<int(unsigned)> nest = [&](unsigned depth) {
    gpuinstr_frame &frame = frames[depth].frame;
    frame.slot[GPUINSTR_SLOT_STREAM] = 100 + depth;
    return frames[depth].call(library, [&] {
      inner += operandsOf(*Self, frame).stream == 100 + depth;
      int result = depth == 6 ? 0 : nest(depth + 1);
      outer += operandsOf(*Self, frame).stream == 100 + depth; // deeper ones took some's place
      return result;
    });
  };
  nest(0);
  EXPECT_EQ(inner, 7u);
  EXPECT_EQ(outer, 7u);
}

TEST_F(DecodeOnce, ACallThatAnExceptionLeftIsForgotten) {
  start("gpu_time=off:audit=off");
  Function lost;
  lost.frame.site = Copy;
  lost.frame.slot[GPUINSTR_SLOT_BYTES] = 16;
  table().enter(&lost.frame);
  EXPECT_EQ(operandsOf(*Self, lost.frame).bytes, 16u); // and it is never left
  lost.frame.slot[GPUINSTR_SLOT_BYTES] = 32;
  lost.call(Copy, [&] {
    EXPECT_EQ(operandsOf(*Self, lost.frame).bytes, 32u);
    return 0;
  });
}

/// k<<<>>>() as programs make it most: the fast path enters without clearing anything.
TEST_F(DecodeOnce, LaunchesOnTheFastPathSeeNoFormerOperands) {
  start("gpu_time=sampled:audit=off:budget=100");
  Launch->flags |= GPUINSTR_SITE_INNER;
  Function user, header;
  header.frame.slot[GPUINSTR_SLOT_FUNC] = 0x4711;
  constexpr uint64_t Launches = 3000;
  unsigned fast = 0;
  for (uint64_t i = 1; i <= Launches; ++i) {
    header.frame.slot[GPUINSTR_SLOT_STREAM] = i;
    user.call(Stub, [&] {
      return header.call(Launch, [&] {
        fast += Self->fastPath == FastPath::Site;
        EXPECT_TRUE(Self->timed.frame != &header.frame || Self->timed.stream == i);
        return 0;
      });
    });
  }
  EXPECT_GT(fast, Launches / 2);
  trace::flush(true);
  uint64_t next = 0;
  for (const trace::Record &record : contentsOf(Path).records)
    if (record.type == trace::RecordType::Host && record.op == GPUINSTR_OP_LAUNCH)
      EXPECT_EQ(record.stream, ++next);
  EXPECT_EQ(next, Launches);
}

} // namespace
