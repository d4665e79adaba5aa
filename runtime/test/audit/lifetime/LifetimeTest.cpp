// Memory that is held before its first use or after its last one.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Lifetime : AuditTest {
  static constexpr uint64_t Big = 8 << 20;
  std::vector<char> host = std::vector<char>(Big, 7);
  void SetUp() override {
    AuditTest::SetUp();
    host[5] = 1;
  }
  void use(char *d, unsigned access = Reads | Writes) {
    launch(access == Unseen ? "unseen" : "user", {parameter(uint8_t(access))}, {d});
  }
  std::vector<profile::Finding> found() { return findings(profileAtExit(), "lifetime"); }
  /// Two buffers, both made at first: one for the first phase, one for the second.
  void phases(const std::function<void(char *, char *)> &between = [](char *, char *) {}) {
    char *a = alloc(10, Big), *b = alloc(11, Big);
    use(a);
    between(a, b);
    use(b);
    free(12, a);
    free(13, b);
  }
};

TEST_F(Lifetime, TwoPhases) {
  phases();
  std::vector<profile::Finding> all = found();
  ASSERT_EQ(all.size(), 2u);
  for (const profile::Finding &f : all) {
    EXPECT_EQ(f.grade.text(), "advice");
    EXPECT_EQ(f.count, 1u);
    EXPECT_EQ(f.bytes, Big);
    EXPECT_NE(f.message.find("peak 16.8 MB, could be 8.39 MB"), std::string::npos) << f.message;
  }
  profile::Profile p = profileAtExit();
  for (const profile::Finding &f : all) {
    bool early = f.site == siteAtLine(p, 11)->id;
    EXPECT_NE(f.message.find(early ? "before its first use" : "after its last use"),
              std::string::npos)
        << f.message;
    EXPECT_NE(f.fix.find(early ? "allocate it" : "free it"), std::string::npos) << f.fix;
    EXPECT_EQ(siteAtLine(p, 800)->id, f.related);
  }
}

TEST_F(Lifetime, OfManyTheLargestAreNamed) {
  char *all[10];
  for (unsigned i = 0; i < 10; ++i)
    all[i] = alloc(10 + i, Big + (i << 20));
  for (char *each : all) // one after the other
    use(each);
  for (char *each : all)
    free(30, each);
  std::vector<profile::Finding> rows = found();
  ASSERT_EQ(rows.size(), 16u);
  for (const profile::Finding &f : rows) {
    EXPECT_GE(f.bytes, Big + (1 << 20));
    EXPECT_NE(f.message.find("with one more like this, the smallest"), std::string::npos)
        << f.message;
  }
}

TEST_F(Lifetime, HeldWhileUsed) {
  for (int i = 0; i < 2; ++i) {
    char *d = alloc(10 + unsigned(i), Big);
    upload(20, d, host.data(), Big);
    use(d);
    download(21, host.data(), d, Big);
    free(12, d);
  }
  char *a = alloc(13, Big), *b = alloc(14, Big);
  for (int i = 0; i < 3; ++i) {
    use(a);
    use(b);
  }
  free(15, a);
  free(16, b);
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, CopiesAreUses) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  set(20, b, 0, Big);
  upload(21, a, host.data(), Big);
  download(22, host.data(), a, Big);
  download(23, host.data(), b, 16); // between the uses of a
  download(24, host.data(), a, 16);
  free(12, a);
  download(25, host.data(), b, 16);
  free(13, b);
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, WhatTheHostPutsThereIsNoUse) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  upload(20, b, host.data(), Big);
  set(21, b, 0, 16);
  use(a);
  free(12, a);
  use(b);
  free(13, b);
  ASSERT_EQ(found().size(), 1u);
  EXPECT_NE(found().front().message.find("but for what the host put there, before its first use"),
            std::string::npos)
      << found().front().message;
}

TEST_F(Lifetime, WhatNobodyReadsIsToldAsDeadAlone) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  upload(20, a, host.data(), Big);
  use(b);
  use(b);
  free(12, a);
  free(13, b);
  EXPECT_TRUE(found().empty());
  EXPECT_EQ(findings(profileAtExit(), "dead-copy").size(), 1u);
}

TEST_F(Lifetime, BelowTheThresholds) {
  char *a = alloc(10, 1 << 19), *b = alloc(11, 1 << 19); // half a MiB
  use(a);
  use(b);
  free(12, a);
  free(13, b);
  EXPECT_TRUE(found().empty());
  char *all = alloc(14, 16 * Big), *small = alloc(15, Big), *late = alloc(16, Big);
  use(all);
  use(small);
  use(all);
  use(late); // 6 % of the peak
  use(all);
  for (char *d : {all, small, late})
    free(17, d);
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, WhatALibraryMayHaveUsed) {
  phases([&](char *, char *) { simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60); });
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, WhatAnUnknownKernelGotIsUsedToItsEnd) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  use(a, Unseen);
  use(b);
  free(12, a);
  free(13, b);
  std::vector<profile::Finding> all = found();
  // The second may come later, but the first is held on: nothing is won.
  EXPECT_TRUE(all.empty());
}

TEST_F(Lifetime, AnAddressInATableIsAUse) {
  char *a = alloc(10, Big), *b = alloc(11, Big), *table = alloc(12, 64);
  char *pointers[8] = {a, b};
  upload(20, table, pointers, 64);
  use(a);
  use(b);
  for (char *d : {a, b, table})
    free(13, d);
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, ManagedMemoryIsTheHostsToo) {
  char *a = alloc(10, Big, GPUINSTR_RES_MANAGED), *b = alloc(11, Big, GPUINSTR_RES_MANAGED);
  use(a);
  use(b);
  free(12, a);
  free(13, b);
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, InTheMiddleOfARunNothingIsToldYet) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  use(a);
  use(b);
  EXPECT_TRUE(findings(profileNow(), "lifetime").empty());
  EXPECT_FALSE(found().empty()); // never freed
  free(12, a);
  free(13, b);
}

TEST_F(Lifetime, ManyAllocationsForgetTheOldOnesNotThePeak) {
  phases();
  for (size_t i = 0; i < audit::Lifetimes::MaxEnded + 10; ++i) {
    char *d = alloc(30, 64);
    use(d);
    free(31, d);
  }
  EXPECT_EQ(found().size(), 2u);
}

TEST_F(Lifetime, AResetForgets) {
  phases();
  table().reset();
  EXPECT_TRUE(found().empty());
}

TEST_F(Lifetime, WhatOnlyABatchCopiesIsUsed) {
  char *a = alloc(10, Big), *b = alloc(11, Big);
  const void *dst[2] = {a, b}, *src[2] = {host.data(), host.data()};
  size_t sizes[2] = {64, 64};
  f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
  f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
  f.frame.slot[GPUINSTR_SLOT_PARAMS] = reinterpret_cast<uint64_t>(sizes);
  f.frame.slot[GPUINSTR_SLOT_BYTES] = 2;
  f.frame.slot[GPUINSTR_SLOT_STREAM] = 0;
  f.call(site(GPUINSTR_OP_COPY_BATCH, "cudaMemcpyBatchAsync", 20,
              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) | bit(GPUINSTR_SLOT_PARAMS) |
                  bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_STREAM)),
         [] { return 0; });
  EXPECT_TRUE(none("unused-allocation"));
  free(12, a);
  free(13, b);
  EXPECT_TRUE(none("unused-allocation"));
}

TEST_F(Lifetime, PassedAndNeverUsedIsUnused) {
  char *d = alloc(10);
  launch("passer", {parameter(0)}, {d});
  profile::Finding unused = finding("unused-allocation");
  EXPECT_EQ(unused.grade.text(), "likely");
  EXPECT_EQ(unused.count, 1u);
  profile::Profile p = profileNow();
  EXPECT_EQ(unused.related, siteAtLine(p, 800)->id);
  EXPECT_NE(unused.message.find("passed to kernels, used by none: "), std::string::npos)
      << unused.message;
  free(12, d);
  EXPECT_EQ(finding("unused-allocation").count, 1u);
}

TEST_F(Lifetime, PassedAndUsedOtherwiseIsNot) {
  char *copied = alloc(10), *used = alloc(11), *unknown = alloc(12), *asInteger = alloc(13);
  for (char *d : {copied, used, unknown, asInteger})
    launch("passer", {parameter(0)}, {d});
  set(20, copied, 0, 16); // that is a dead copy
  use(used);
  use(unknown, Unseen);
  launch("integer", {parameter(0, 8, 0)},
         {asInteger}); // as a number: nobody says what becomes of it
  EXPECT_TRUE(none("unused-allocation"));
  char *later = alloc(14);
  launch("passer", {parameter(0)}, {later});
  EXPECT_EQ(finding("unused-allocation").count, 1u);
  simple(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60);
  EXPECT_TRUE(none("unused-allocation"));
}

} // namespace
