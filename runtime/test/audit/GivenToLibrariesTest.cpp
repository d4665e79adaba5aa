// Vendor libraries touch what they are given, now or before, and what addresses there name.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

namespace gpuinstr::test {

namespace {

struct GivenToLibraries : VariedBytes {
  char *d = nullptr, *other = nullptr;
  void SetUp() override {
    VariedBytes::SetUp();
    d = alloc(10);
    other = alloc(11);
  }
  /// A call of which the plugin says all pointers.
  void library(std::vector<const void *> given, uint16_t detail = 0, const void *searched = nullptr,
               uint64_t size = 0) {
    f.frame.slot[GPUINSTR_SLOT_ARGS] = reinterpret_cast<uint64_t>(given.data());
    f.frame.slot[GPUINSTR_SLOT_PARAMS] = given.size();
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(searched);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = size;
    uint32_t slots = bit(GPUINSTR_SLOT_ARGS) | bit(GPUINSTR_SLOT_PARAMS);
    if (detail)
      slots |= bit(GPUINSTR_SLOT_SRC) | bit(GPUINSTR_SLOT_BYTES);
    f.call(site(GPUINSTR_OP_LIBRARY, "cublasSgemm", 60 + detail, slots, 0, 0, detail),
           [] { return 0; });
  }
  /// One that only reads what the last `read` of them lead to.
  void libraryReads(std::vector<const void *> given, uint64_t read) {
    f.frame.slot[GPUINSTR_SLOT_ARGS] = reinterpret_cast<uint64_t>(given.data());
    f.frame.slot[GPUINSTR_SLOT_PARAMS] = given.size();
    f.frame.slot[GPUINSTR_SLOT_KIND] = read;
    f.call(site(GPUINSTR_OP_LIBRARY, "cublasSgemv", 70,
                bit(GPUINSTR_SLOT_ARGS) | bit(GPUINSTR_SLOT_PARAMS) | bit(GPUINSTR_SLOT_KIND)),
           [] { return 0; });
  }
  template <class Work> std::string gradeOfRepeats(Work work) {
    for (int i = 0; i < 5; ++i) {
      upload(20, d, host.data());
      work();
    }
    return finding("noop-copy").grade.text();
  }
};

TEST_F(GivenToLibraries, MayBeWritten) {
  EXPECT_EQ(gradeOfRepeats([&] { library({d + 64}); }), "likely");
}

TEST_F(GivenToLibraries, OtherMemoryIsNot) {
  EXPECT_EQ(gradeOfRepeats([&] { library({other, &host}); }), "proven");
}

TEST_F(GivenToLibraries, AHandleKeepsIt) {
  library({d});
  EXPECT_EQ(gradeOfRepeats([&] { library({other}); }), "likely");
}

TEST_F(GivenToLibraries, OnlyReadsWhatIsConst) {
  EXPECT_EQ(gradeOfRepeats([&] { libraryReads({other, d}, 1); }), "proven");
}

TEST_F(GivenToLibraries, MayWriteWhatItAlsoReads) {
  EXPECT_EQ(gradeOfRepeats([&] { libraryReads({d, other, d + 64}, 2); }), "likely");
}

TEST_F(GivenToLibraries, KeepsNothingThatItOnlyReads) {
  libraryReads({d}, 1);
  EXPECT_EQ(gradeOfRepeats([&] { library({other}); }), "proven");
}

TEST_F(GivenToLibraries, ReadsNoMoreThanItIsGiven) {
  EXPECT_EQ(gradeOfRepeats([&] { libraryReads({d}, 1000); }), "proven");
}

TEST_F(GivenToLibraries, ByATableOfAddresses) {
  char *table = alloc(12, 64);
  const void *addresses[8] = {other, d};
  upload(13, table, addresses, 64);
  EXPECT_EQ(gradeOfRepeats([&] { library({table}, 6); }), "likely");
}

TEST_F(GivenToLibraries, ByAnAttributeOfADescriptor) {
  const void *bias = d;
  library({}, 4, &bias, sizeof bias);
  EXPECT_EQ(gradeOfRepeats([&] { library({other}); }), "likely");
}

TEST_F(GivenToLibraries, ByAWordOfADescriptor) {
  const void *bias[2] = {nullptr, d};
  library({}, 5, bias, 2);
  EXPECT_EQ(gradeOfRepeats([&] { library({other}); }), "likely");
}

TEST_F(GivenToLibraries, AnAttributeWithoutAddresses) {
  int32_t layout = 1;
  EXPECT_EQ(gradeOfRepeats([&] { library({other}, 4, &layout, sizeof layout); }), "proven");
}

TEST_F(GivenToLibraries, AnAttributeThatIsNotThere) {
  EXPECT_EQ(gradeOfRepeats([&] { library({other}, 4, nullptr, 8); }), "proven");
  EXPECT_EQ(gradeOfRepeats([&] { library({other}, 5, reinterpret_cast<void *>(8), 2); }), "proven");
}

TEST_F(GivenToLibraries, MoreAttributesThanAreSearched) {
  EXPECT_EQ(gradeOfRepeats([&] { library({other}, 5, host.data(), ~uint64_t(0)); }), "likely");
}

TEST_F(GivenToLibraries, IsReadAndUsed) {
  upload(20, d, host.data());
  library({d});
  free(30, d);
  EXPECT_TRUE(none("dead-copy"));
  EXPECT_EQ(finding("unused-allocation").count, 1u) << "the other one";
}

TEST_F(GivenToLibraries, WhatIsNotStaysDead) {
  upload(20, d, host.data());
  library({other});
  free(30, d);
  EXPECT_EQ(finding("dead-copy").count, 1u);
}

TEST_F(GivenToLibraries, WhatIsNotStaysUnused) {
  library({other});
  EXPECT_EQ(finding("unused-allocation").count, 1u) << "d alone";
}

TEST_F(GivenToLibraries, NothingAtAll) {
  EXPECT_EQ(gradeOfRepeats([&] { library({}); }), "proven");
}

} // namespace

} // namespace gpuinstr::test
