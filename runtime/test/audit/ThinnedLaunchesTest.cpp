// Launches of attached programs that are counted and no more may do anything.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/scheduling/ShortLooks.h"
#include "calls/threads/Thread.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct ThinnedLaunch : TwoBuffers {
  uint64_t stream = 0;
  void SetUp() override {
    TwoBuffers::SetUp();
    stream = makeStream(true);
    run(stream); // from here on the stream is known without the lock
  }
  bool passes(uint64_t on) { return audit::noteThinnedCall(*thisThread(), GPUINSTR_OP_LAUNCH, on); }
  bool updates(uint64_t executable) {
    return audit::noteThinnedCall(*thisThread(), GPUINSTR_OP_GRAPH_NODE, executable);
  }
  void update(uint64_t executable) {
    f.frame.slot[GPUINSTR_SLOT_DST] = executable;
    f.call(site(GPUINSTR_OP_GRAPH_NODE, "cuGraphExecKernelNodeSetParams", 60,
                bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_PARAMS), 0, 0, 2),
           [] { return 0; });
  }
};

TEST_F(ThinnedLaunch, MayWriteAnything) {
  set(20, d, 7);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(passes(stream));
    set(20, d, 7);
  }
  EXPECT_TRUE(none("noop-copy") || finding("noop-copy").grade.text() != std::string("proven"));
}

TEST_F(ThinnedLaunch, MayReadAnything) {
  for (int i = 0; i < 8; ++i) {
    host[5] = char(i);
    upload(20, d, host.data());
    EXPECT_TRUE(passes(stream));
  }
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(ThinnedLaunch, MayUseWhatNothingElseUses) {
  char *one = alloc(30);
  EXPECT_TRUE(passes(stream));
  free(31, one);
  EXPECT_TRUE(none("unused-allocation"));
}

TEST_F(ThinnedLaunch, IsWorkToWaitFor) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(passes(stream));
    syncStream(stream);
  }
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 4; ++i)
    syncStream(stream);
  EXPECT_EQ(finding("needless-sync").count, 4u);
}

TEST_F(ThinnedLaunch, OnAStreamThatIsNotKnownItIsLookedAt) {
  EXPECT_FALSE(passes(makeStream(true)));
  EXPECT_TRUE(passes(stream));
  EXPECT_FALSE(passes(0));
  run(0);
  EXPECT_TRUE(passes(0));
  EXPECT_TRUE(passes(stream));
}

TEST_F(ThinnedLaunch, BesideAHashItIsLookedAt) {
  ++audit::Auditor::underWay;
  EXPECT_FALSE(passes(stream));
  --audit::Auditor::underWay;
  EXPECT_TRUE(passes(stream));
}

TEST_F(ThinnedLaunch, AnUpdateOfAnExecutableThatIsNotAuditedChangesNothing) {
  EXPECT_FALSE(updates(0x9100));
  update(0x9100); // and any address may be in it
  EXPECT_TRUE(updates(0x9100));
  EXPECT_FALSE(updates(0x9200));
  alloc(40);
  EXPECT_FALSE(updates(0x9100)) << "it may have got the new one's address";
  update(0x9100);
  EXPECT_TRUE(updates(0x9100));
  audit::auditor().graphs.created(0x9000);
  audit::auditor().graphs.instantiated(0x9100, 0x9000);
  EXPECT_FALSE(updates(0x9100)) << "another one is there now";
}

} // namespace
