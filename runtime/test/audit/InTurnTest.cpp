// Contents that come back into the buffer that others were in meanwhile, as batches of several
// epochs do.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <functional>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct InTurn : VariedBytes {
  char *d = nullptr;
  /// Three contents, each of them so many times.
  void send(unsigned epochs, const std::function<void()> &between = {}, uint64_t bytes = Bytes) {
    d = d ? d : alloc(10, bytes);
    for (unsigned i = 0; i < 3 * epochs; ++i) {
      host[9] = char(i % 3);
      upload(20, d, host.data(), bytes);
      if (between)
        between();
      else
        read(d);
    }
  }
};

TEST_F(InTurn, IsAdvice) {
  send(4);
  const profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 9u);
  EXPECT_EQ(found.fix.find("share"), std::string::npos) << found.fix;
  EXPECT_NE(found.fix.find("keep the contents"), std::string::npos) << found.fix;
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(InTurn, WhoeverLooks) {
  const auto with = audit::EngineSource;
  audit::EngineSource = [](bool) { return static_cast<audit::DeviceHasher *>(nullptr); };
  send(4);
  EXPECT_EQ(finding("reupload", "advice").count, 9u);
  audit::EngineSource = with;
}

TEST_F(InTurn, ByDefault) {
  start("audit=sampled:budget=100");
  send(4);
  EXPECT_EQ(finding("reupload").grade.text(), "advice");
}

TEST_F(InTurn, ByDefaultTwiceIsTooSeldom) {
  start("audit=sampled:budget=100");
  send(1);
  for (int again = 0; again < 3; ++again) {
    EXPECT_TRUE(none("reupload")) << again;
    host[9] = char(again);
    upload(20, d, host.data());
    read(d);
  }
  EXPECT_FALSE(none("reupload"));
}

TEST_F(InTurn, SmallOnesAreParameters) {
  start("audit=sampled:budget=100");
  send(10, {}, 32768);
  EXPECT_TRUE(none("reupload"));
}

TEST_F(InTurn, FlagsAreNone) {
  send(200, {}, 128);
  send(200, {}, 128);
  EXPECT_TRUE(none("reupload"));
}

TEST_F(InTurn, NewContentsAreNone) {
  d = alloc(10);
  for (int i = 0; i < 12; ++i) {
    host[9] = char(i);
    upload(20, d, host.data());
    read(d);
  }
  EXPECT_TRUE(none("reupload"));
}

TEST_F(InTurn, WhatAKernelChangesIsRestored) {
  send(4, [&] {
    launch("inPlace", {parameter(Reads | Writes)}, {d}, 0, GPUINSTR_KERNEL_ENDS);
    d[9] = 50;
  });
  EXPECT_TRUE(none("reupload"));
}

TEST_F(InTurn, WhatAnUnseenKernelChangesIsRestored) {
  send(4, [&] {
    launch("unseen", {parameter(Unseen)}, {d}, 0, GPUINSTR_KERNEL_ENDS);
    d[9] = 50;
  });
  EXPECT_TRUE(none("reupload"));
}

TEST_F(InTurn, AnUnseenKernelThatChangesNothing) {
  send(4, [&] { launch("unseen", {parameter(Unseen)}, {d}, 0, GPUINSTR_KERNEL_ENDS); });
  EXPECT_EQ(finding("reupload").grade.text(), "advice");
}

TEST_F(InTurn, SetBefore) {
  d = alloc(10);
  send(4, [&] {
    read(d);
    set(21, d, 0);
  });
  EXPECT_EQ(finding("reupload").grade.text(), "advice") << "the set is no kernel's work";
}

/// What is on the device in another buffer still, or again.
TEST_F(InTurn, FromTheOtherOfTwoBuffers) {
  char *former = alloc(11);
  d = alloc(10);
  for (int i = 0; i < 8; ++i) {
    host[9] = char(i);
    upload(20, former, host.data());
    host[9] = char(i + 1);
    upload(21, d, host.data());
    read(d);
    read(former);
  }
  const profile::Finding found = finding("reupload");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 7u);
  EXPECT_NE(found.fix.find("copy it on the device"), std::string::npos) << found.fix;
}

/// Equal elements and what kernels write: neither is shared.
TEST_F(InTurn, ZerosAreFilled) {
  const std::vector<char> zeros(49152);
  for (unsigned i = 0; i < 4; ++i) {
    char *first = alloc(11, zeros.size()), *second = alloc(12, zeros.size());
    upload(20, first, zeros.data(), zeros.size());
    upload(21, second, zeros.data(), zeros.size());
    launch("bothInPlace", {parameter(Reads | Writes), parameter(Reads | Writes)}, {first, second});
    first[3] = second[4] = 1;
    free(22, first);
    free(23, second);
  }
  const profile::Finding found = finding("reupload");
  EXPECT_NE(found.fix.find("cudaMemset"), std::string::npos) << found.fix;
}

TEST_F(InTurn, WhatKernelsWriteIsNotShared) {
  for (unsigned i = 0; i < 4; ++i) {
    host[9] = char(i);
    char *first = alloc(11), *second = alloc(12);
    upload(20, first, host.data());
    std::vector<char> same = host; // elsewhere: else they are duplicates
    upload(21, second, same.data());
    launch("bothInPlace", {parameter(Reads | Writes), parameter(Reads | Writes)}, {first, second});
    first[3] = second[4] = 1;
    free(22, first);
    free(23, second);
  }
  const profile::Finding found = finding("reupload");
  EXPECT_EQ(found.fix.find("share"), std::string::npos) << found.fix;
  EXPECT_NE(found.fix.find("copy"), std::string::npos) << found.fix;
}

} // namespace
