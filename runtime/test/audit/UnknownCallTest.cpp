// CUDA's functions that no row of the plugin's table describes, and those that only take their turn
// in a stream. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint16_t Nothing = 0, Anything = 2; // detail of OTHER: CudaApi.def

struct UnknownCall : TwoBuffers {
  void other(const char *name, uint16_t detail, uint32_t slots = 0, uint64_t stream = 0) {
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    const unsigned line = 40 + detail + (slots ? 4 : 0); // of each kind
    f.call(site(GPUINSTR_OP_OTHER, name, line, slots, 0, slots ? GPUINSTR_SITE_ASYNC : 0, detail),
           [] { return 0; });
  }
  static constexpr uint32_t InStream = 1u << GPUINSTR_SLOT_STREAM;
  /// What the program sets is what is there already, and nothing else is seen.
  template <class Between> void sets(Between between) {
    set(20, d, 7);
    for (int i = 0; i < 8; ++i) {
      between();
      set(20, d, 7);
    }
  }
};

TEST_F(UnknownCall, AQuestionChangesNothing) {
  sets([&] { other("cuDeviceGetCount", Nothing); });
  EXPECT_GE(finding("noop-copy", "proven").count, 7u);
}

TEST_F(UnknownCall, ItMayWriteAnything) {
  sets([&] { other("cuWhatIsNew", Anything); });
  EXPECT_TRUE(none("noop-copy") || finding("noop-copy").grade.text() != std::string("proven"));
}

TEST_F(UnknownCall, ItMayWriteAnythingInItsStream) {
  sets([&] { other("cuMemBatchDecompressAsync", Anything, InStream); });
  EXPECT_TRUE(none("noop-copy") || finding("noop-copy").grade.text() != std::string("proven"));
}

TEST_F(UnknownCall, ItMayReadAnything) {
  for (int i = 0; i < 8; ++i) {
    host[5] = char(i);
    upload(20, d, host.data());
    other("cuWhatIsNew", Anything);
  }
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(UnknownCall, AnyStreamMayHaveIt) {
  uint64_t stream = makeStream(true);
  run(stream);
  syncStream(stream);
  for (int i = 0; i < 4; ++i) {
    other("cuWhatIsNew", Anything);
    syncStream(stream);
  }
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 4; ++i) {
    other("cuDeviceGetCount", Nothing);
    syncStream(stream);
  }
  EXPECT_EQ(finding("needless-sync").count, 4u);
}

TEST_F(UnknownCall, WhatTakesItsTurnInAStreamIsWaitedFor) {
  uint64_t stream = makeStream(true), beside = makeStream(true);
  run(stream);
  run(beside);
  syncDevice();
  for (int i = 0; i < 4; ++i) {
    other("cudaGraphUpload", Nothing, InStream, stream);
    syncStream(stream);
  }
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 4; ++i) {
    other("cudaGraphUpload", Nothing, InStream, stream);
    syncStream(beside);
  }
  EXPECT_EQ(finding("needless-sync").count, 4u);
}

TEST_F(UnknownCall, AGraphMayBeUploadedAsItIsInstantiated) {
  uint64_t stream = makeStream(true), exec = 0;
  run(stream);
  syncStream(stream);
  auto instantiate = [&](uint64_t flags) {
    const uint64_t params[8] = {flags, stream};
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&exec);
    f.frame.slot[GPUINSTR_SLOT_SRC] = 0x9000;
    f.frame.slot[GPUINSTR_SLOT_PARAMS] = reinterpret_cast<uint64_t>(params);
    f.call(site(GPUINSTR_OP_CREATE, "cudaGraphInstantiateWithParams", 50,
                1u << GPUINSTR_SLOT_DST | 1u << GPUINSTR_SLOT_SRC | 1u << GPUINSTR_SLOT_PARAMS,
                GPUINSTR_RES_GRAPH_EXEC),
           [&] {
             exec = 0x9100;
             return 0;
           });
  };
  for (int i = 0; i < 4; ++i) {
    instantiate(2);
    syncStream(stream);
  }
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 4; ++i) {
    instantiate(0);
    syncStream(stream);
  }
  EXPECT_EQ(finding("needless-sync").count, 4u);
}

TEST_F(UnknownCall, AGraphThatItMayHaveChangedIsUnknown) {
  audit::GraphWorks &graphs = audit::auditor().graphs;
  graphs.created(0x9000);
  graphs.instantiated(0x9100, 0x9000);
  ASSERT_TRUE(graphs.executable(0x9100));
  other("cuDeviceGetCount", Nothing);
  EXPECT_TRUE(graphs.executable(0x9100));
  EXPECT_FALSE(graphs.graph(0x9000)->unknown);
  other("cuGraphDoWhatIsNew", Anything);
  EXPECT_FALSE(graphs.executable(0x9100));
  EXPECT_TRUE(graphs.graph(0x9000)->unknown);
}

TEST_F(UnknownCall, QuestionsEndNoRowOfSmallCopies) {
  for (int i = 0; i < 12; ++i) {
    host[5] = char(i);
    upload(20, d, host.data(), 64);
    other("cuDeviceGetCount", Nothing);
  }
  EXPECT_EQ(finding("small-copies").count, 12u);
}

TEST_F(UnknownCall, OneThatMayCopyEndsIt) {
  for (int i = 0; i < 12; ++i) {
    host[5] = char(i);
    upload(20, d, host.data(), 64);
    other("cuWhatIsNew", Anything);
  }
  EXPECT_TRUE(none("small-copies"));
}

} // namespace
