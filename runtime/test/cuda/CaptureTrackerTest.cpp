// Which captures count as open.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/CaptureTracker.h"
#include "Support.h"
#include "base/Part.h"
#include "calls/CaptureObserver.h"
#include "calls/CudaState.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

class Captures : public testing::Test {
protected:
  void SetUp() override {
    setenv("GPUINSTR_OPTIONS", "report=off:audit=off:gpu_time=off", 1);
    FakeDriver::install();
    table();
    watchCaptures();
    watchCaptures(); // more than one asks for it
    forgetAll();
    cuda::Captures.forget();
    registerAll({Begin, End});
  }
  void TearDown() override { FakeDriver::reset(); }
  void call(const gpuinstr_site *site, int result = 0) {
    F.frame.slot[GPUINSTR_SLOT_STREAM] = Stream;
    F.call(site, [&] { return result; });
  }
  bool isOpen() const { return cuda::Captures.anyOpen(); }
  static constexpr uint64_t Stream = 0x77;
  static constexpr uint32_t Flags = GPUINSTR_SITE_CUDA_ERROR;
  gpuinstr_site *Begin = makeSite(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCapture", 10, 0, Flags,
                                  bit(GPUINSTR_SLOT_STREAM));
  gpuinstr_site *End = makeSite(GPUINSTR_OP_CAPTURE_END, "cudaStreamEndCapture", 11, 0, Flags,
                                bit(GPUINSTR_SLOT_STREAM));
  Function F;
};

TEST_F(Captures, AreOpenFromTheirBeginToTheirEnd) {
  EXPECT_FALSE(isOpen());
  call(Begin);
  EXPECT_TRUE(isOpen());
  EXPECT_FALSE(cuda::Captures.isCapturing(Stream)) << "the driver has the last word";
  FakeDriver::Capturing = true;
  EXPECT_TRUE(cuda::Captures.isCapturing(Stream));
  FakeDriver::Capturing = false;
  call(End);
  EXPECT_FALSE(isOpen());
}

TEST_F(Captures, ThatDidNotBeginAreNotOpen) {
  call(Begin, 900);
  EXPECT_FALSE(isOpen());
}

TEST_F(Captures, ThatFailedAreOver) {
  call(Begin);
  call(End, 901); // cudaErrorStreamCaptureInvalidated
  EXPECT_FALSE(isOpen());
}

TEST_F(Captures, ThatCouldNotBeEndedFromHereGoOn) {
  call(Begin);
  FakeDriver::Capturing = true;
  call(End, 908); // cudaErrorStreamCaptureWrongThread
  EXPECT_TRUE(isOpen());
  FakeDriver::Capturing = false;
}

TEST_F(Captures, ThatWereBegunUnseenTakeNobodysPlace) {
  call(End);
  EXPECT_FALSE(isOpen());
  call(Begin);
  EXPECT_TRUE(isOpen());
}

TEST_F(Captures, ThatAParentBeganAreNotItsChilds) {
  call(Begin);
  cudaStatePart().childAfterFork();
  EXPECT_FALSE(isOpen()) << "whichever features there are";
}

} // namespace
