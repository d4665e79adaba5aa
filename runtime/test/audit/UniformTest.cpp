// Uploads of equal elements: which are told, and which are not.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/budget/OverheadBudget.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Uniform : VariedBytes {};

TEST_F(Uniform, EqualElements) {
  char *d = alloc(10);
  std::vector<float> ones(Bytes / 4, 1.5f);
  upload(20, d, ones.data());
  profile::Finding found = finding("uniform-upload");
  EXPECT_EQ(found.grade.text(), "advice");
  EXPECT_EQ(found.bytes, Bytes);
}

TEST_F(Uniform, EqualButForAFewElements) {
  char *d = alloc(10);
  std::vector<float> ones(Bytes / 4, 1.5f);
  ones.front() = ones.back() = ones[3000] = 1;
  upload(20, d, ones.data());
  std::string message = finding("uniform-upload").message;
  EXPECT_NE(message.find("equal but for 3 of 32768 words"), std::string::npos) << message;
}

TEST_F(Uniform, AlmostEqualElements) {
  char *d = alloc(10);
  std::vector<float> ones(Bytes / 4, 1.5f);
  for (size_t i = 0; i < ones.size(); i += 1000)
    ones[i] = 1;
  upload(20, d, ones.data());
  std::vector<double> wide(Bytes / 8, 0.1); // elements of sixteen bytes
  for (size_t i = 0; i < wide.size(); i += 2)
    wide[i] = 0.7;
  upload(21, d, wide.data());
  std::vector<float> few(1000, 0.f);
  upload(22, d, few.data(), 4000);
  EXPECT_TRUE(none("uniform-upload"));
}

TEST_F(Uniform, EqualElementsOfPinnedMemory) {
  char *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  std::memset(pinned, 7, Bytes);
  uint64_t stream = makeStream(false);
  for (int i = 0; i < 50; ++i) {
    char *d = alloc(10);
    uploadAsync(20, d, pinned, stream);
    read(d);
    syncStream(stream);
    free(12, d);
  }
  EXPECT_EQ(finding("uniform-upload").count, 50u);
  EXPECT_TRUE(audit::auditor().ranges.unscanned.load());
}

TEST_F(Uniform, EqualElementsOfPinnedMemoryToOneBuffer) {
  start("audit=sampled");
  char *d = alloc(10), *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  std::memset(pinned, 0, Bytes);
  uint64_t stream = makeStream(false);
  for (int i = 0; i < 200; ++i) {
    uploadAsync(20, d, pinned, stream);
    launch("adds", {parameter(Reads | Writes)}, {d}, stream);
    syncStream(stream);
    std::memset(d, i + 1, Bytes);
  }
  EXPECT_EQ(finding("uniform-upload").count, 1u) << "repeats keep to the short way";
}

TEST_F(Uniform, PinnedMemoryMayBeFilledAfterTheCall) {
  char *d = alloc(10), *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  std::memset(pinned, 7, Bytes);
  uint64_t stream = makeStream(false);
  simple(GPUINSTR_OP_HOST_FUNC, "cudaLaunchHostFunc", 850, stream);
  uploadAsync(20, d, pinned, stream);
  EXPECT_TRUE(none("uniform-upload"));
  EXPECT_TRUE(audit::auditor().ranges.unscanned.load());
}

TEST_F(Uniform, OrByACopyOrAKernel) {
  char *d = alloc(10), *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  char *shared = alloc(12, Bytes, GPUINSTR_RES_PINNED);
  std::memset(shared, 7, Bytes);
  uint64_t stream = makeStream(false);
  download(21, pinned, d);
  uploadAsync(20, d, pinned, stream);
  launch("writer", {parameter(Writes)}, {shared}, stream);
  uploadAsync(22, d, shared, stream);
  EXPECT_TRUE(none("uniform-upload"));
}

/// What it would take to read all of it, the budget does not have.
TEST_F(Uniform, EqualElementsOfMuchMemory) {
  start("audit=sampled budget=1");
  constexpr uint64_t Much = 64 << 20;
  char *d = alloc(10, Much);
  std::vector<char> ones(Much, 7);
  while (overheadBudget().take(10000))
    ;
  ASSERT_TRUE(overheadBudget().takeFirst(uint64_t(OverheadBudget::FirstLooksNs) - 1000000));
  upload(20, d, ones.data(), Much);
  profile::Finding found = finding("uniform-upload");
  EXPECT_EQ(found.bytes, Much);
  EXPECT_NE(found.message.find("equal wherever"), std::string::npos) << found.message;
  read(d);
  for (uint64_t at = Much / 2; at < Much; at += 1 << 14)
    ones[at] = 8;
  upload(21, d, ones.data(), Much);
  EXPECT_EQ(finding("uniform-upload").count, 1u);
}

TEST(UniformPattern, WhatLiesBehindTheDataIsNotRead) {
  std::vector<char> data(audit::UniformPattern::Head, 0);
  for (size_t i = 1024; i < data.size(); ++i)
    data[i] = char(i);
  audit::UniformPattern pattern;
  EXPECT_TRUE(pattern.find(data.data(), 1024));
  EXPECT_FALSE(pattern.find(data.data(), data.size()));
}

/// Chunks of zeros: a set is what they want.
TEST_F(Uniform, EqualElementsSentAgainAreNoNews) {
  char *pinned = alloc(11, Bytes, GPUINSTR_RES_PINNED);
  auto sendToMany = [&](unsigned line) {
    char *d = alloc(line + 10, 4 * Bytes);
    for (int i = 0; i < 4; ++i)
      upload(line, d + i * Bytes, pinned);
    read(d);
  };
  std::memset(pinned, 0, Bytes);
  sendToMany(20);
  EXPECT_TRUE(none("reupload"));
  std::memcpy(pinned, host.data(), Bytes);
  sendToMany(21);
  EXPECT_FALSE(none("reupload")) << "others are";
}

} // namespace
