// Advice on calls that could be fewer: rows of small copies, waits for nothing.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Advice : VariedBytes {};

TEST_F(Advice, ManySmallCopiesInARow) {
  char *d = alloc(10);
  for (int i = 0; i < 12; ++i)
    upload(20, d + i * 100, &host[size_t(i) * 100], 100);
  profile::Finding found = finding("small-copies");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 12u);
  EXPECT_EQ(found.bytes, 1200u);
}

/// A few parameters, then the rows of a matrix: those are what to change.
TEST_F(Advice, ARowIsNamedByTheLineThatMakesMostOfIt) {
  char *d = alloc(10);
  upload(20, d, host.data(), 100);
  upload(21, d + 100, host.data(), 100);
  for (int i = 0; i < 40; ++i)
    upload(22, d + i * 100, &host[size_t(i) * 100], 100);
  profile::Finding found = finding("small-copies");
  EXPECT_EQ(found.count, 42u);
  EXPECT_EQ(siteAtLine(profileNow(), 22)->id, found.site);
}

TEST_F(Advice, ARowOfManyLinesIsNamedByTheFirst) {
  char *d = alloc(10);
  for (int i = 0; i < 12; ++i)
    upload(20 + i % 6, d + i * 100, &host[size_t(i) * 100], 100);
  EXPECT_EQ(siteAtLine(profileNow(), 20)->id, finding("small-copies").site);
}

/// One-off copies, then the members of each element of a tree: no line makes half of them.
TEST_F(Advice, ARowOfManyLinesIsNamedByTheFirstThatRepeats) {
  char *d = alloc(10);
  upload(20, d, host.data(), 100);
  upload(21, d + 100, host.data(), 100);
  for (int i = 0; i < 90; ++i)
    upload(22 + i % 9, alloc(10), &host[size_t(i) * 100], 100);
  profile::Finding found = finding("small-copies");
  EXPECT_EQ(found.count, 92u);
  EXPECT_EQ(siteAtLine(profileNow(), 22)->id, found.site);
}

TEST_F(Advice, SmallCopiesInSeveralRows) {
  char *d = alloc(10);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 9; ++i)
      upload(20, d + i * 100, &host[size_t(round * 9 + i) * 100], 100);
    read(d);
  }
  profile::Finding found = finding("small-copies");
  EXPECT_EQ(found.count, 36u);
  EXPECT_NE(found.message.find("in 4 rows of 9 on average"), std::string::npos) << found.message;
}

/// Each into memory of its own: one buffer would do for all.
TEST_F(Advice, SmallCopiesIntoMemoryThatIsMadeBetween) {
  for (int i = 0; i < 40; ++i)
    upload(20, alloc(10), &host[size_t(i) * 100], 100);
  profile::Finding found = finding("small-copies");
  EXPECT_EQ(found.count, 40u);
  EXPECT_NE(found.message.find("with nothing but allocations between"), std::string::npos)
      << found.message;
  EXPECT_NE(found.fix.find("one buffer for all"), std::string::npos) << found.fix;
}

TEST_F(Advice, FewSmallCopiesIntoMemoryThatIsMadeBetween) {
  for (int i = 0; i < 31; ++i)
    upload(20, alloc(10), &host[size_t(i) * 100], 100);
  syncDevice();
  for (int i = 0; i < 40; ++i) // downloads need no memory of the device
    download(21, host.data(), alloc(10), 100);
  for (int i = 0; i < 40; ++i) {
    char *d = alloc(10);
    upload(22, d, &host[size_t(i) * 100], 100);
    free(11, d);
  }
  EXPECT_TRUE(none("small-copies"));
}

TEST_F(Advice, RowsThatEnd) {
  char *d = alloc(10);
  for (int i = 0; i < 7; ++i)
    upload(20, d + i * 100, &host[size_t(i) * 100], 100);
  read(d);
  for (int i = 0; i < 6; ++i)
    upload(20, d + i * 100, &host[size_t(i) * 100], 100);
  for (int i = 0; i < 16; ++i) {
    upload(21, d, host.data(), 4);
    download(22, host.data(), d, 4);
  }
  for (int i = 0; i < 16; ++i) {
    upload(23, d, host.data(), 4);
    syncDevice();
  }
  EXPECT_TRUE(none("small-copies"));
}

TEST_F(Advice, NothingToWaitFor) {
  char *d = alloc(10);
  read(d);
  for (int i = 0; i < 3; ++i)
    syncDevice(); // the first has
  profile::Finding found = finding("needless-sync");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.count, 2u);
  for (int i = 0; i < 3; ++i) {
    read(d);
    download(20, host.data(), d); // it waits for the kernel
    syncStream(0);
  }
  EXPECT_EQ(findings(profileNow(), "needless-sync").size(), 2u);
}

TEST_F(Advice, EachWaitOfEachCallerIsCountedForItself) {
  constexpr int Many = 4;
  gpuinstr_site *waits[Many], *callers[Many];
  for (int i = 0; i < Many; ++i)
    waits[i] = site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 910 + unsigned(i), 0);
  for (int i = 0; i < Many; ++i)
    callers[i] = site(GPUINSTR_OP_CALLER, "make", 920 + unsigned(i), 0);
  read(alloc(10));
  syncDevice();
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < Many; ++i)
      for (int k = 0; k < Many; ++k) {
        Function called(callers[i]);
        called.call(waits[k], [] { return 0; });
      }
  std::vector<profile::Finding> found = findings(profileNow(), "needless-sync");
  EXPECT_EQ(found.size(), size_t(Many * Many));
  for (const profile::Finding &one : found)
    EXPECT_EQ(one.count, 2u);
}

TEST_F(Advice, SomethingToWaitFor) {
  char *d = alloc(10);
  uint64_t stream = makeStream(true);
  syncDevice(), syncDevice(), syncDevice(); // before any work: a start-up
  for (int i = 0; i < 4; ++i) {
    set(20, d, i);
    syncDevice();
    launch("reader", {parameter(Reads)}, {d}, stream);
    download(21, host.data(), d); // not of that stream
    syncDevice();
    uploadAsync(22, d, host.data(), stream);
    syncStream(stream);
  }
  EXPECT_TRUE(none("needless-sync"));
}

} // namespace
