// Answers that come after a kernel of another stream was launched.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// Looks whose answers are late, and a kernel that writes the buffer before they are there.
struct LateLooks : TwoBuffers {
  uint64_t copies = 0, kernels = 0;
  void SetUp() override {
    TwoBuffers::SetUp();
    copies = makeStream(true);
    kernels = makeStream(true);
    engine.late = true;
    for (int i = 0; i < 5; ++i)
      uploadAsync(20, d, host.data(), copies);
  }
  void write(uint64_t stream) {
    launch("overwriter", {parameter(Writes)}, {d}, stream, GPUINSTR_KERNEL_ENDS);
  }
  std::string grade() {
    engine.arrive();
    return finding("noop-copy").grade.text();
  }
};

TEST_F(LateLooks, AWriterThatMayOvertakeTheCopyMakesThemLikely) {
  write(kernels);
  EXPECT_EQ(grade(), "likely");
}

TEST_F(LateLooks, OneBehindThemChangesNothing) {
  simple(GPUINSTR_OP_RECORD_EVENT, "cudaEventRecord", 860, copies, 0x53);
  simple(GPUINSTR_OP_WAIT_EVENT, "cudaStreamWaitEvent", 861, kernels, 0x53);
  write(kernels);
  EXPECT_EQ(grade(), "proven");
}

TEST_F(LateLooks, NorDoesOneOfTheirOwnStream) {
  write(copies);
  EXPECT_EQ(grade(), "proven");
}

TEST_F(LateLooks, NorOneThatCameBehindASynchronisation) {
  engine.arrive();
  syncStream(copies);
  write(kernels);
  EXPECT_EQ(grade(), "proven");
}

} // namespace
