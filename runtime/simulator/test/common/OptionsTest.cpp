// GPUINSTR_SIM and the allocator of device memory.
// SPDX-License-Identifier: Apache-2.0
#include "common/SimulatorOptions.h"
#include "device/state/Arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace gpuinstr::sim;

TEST(Options, Defaults) {
  Options O = parseOptions(nullptr);
  EXPECT_EQ(O.Memory, size_t(16) << 30);
  EXPECT_EQ(O.Devices, 1);
  EXPECT_FALSE(O.Log);
}

TEST(Options, AllKeys) {
  Options O = parseOptions("memory=3M:devices=4:log=1:threads=3:kernels=skip:check=off");
  EXPECT_EQ(O.Memory, size_t(3) << 20);
  EXPECT_EQ(O.Devices, 4);
  EXPECT_TRUE(O.Log);
  EXPECT_EQ(O.Threads, 3);
  EXPECT_TRUE(O.SkipKernels);
  EXPECT_FALSE(O.GuardPages);
}

TEST(Options, BadValuesKeepTheDefaultAndSaySo) {
  testing::internal::CaptureStderr();
  Options O = parseOptions("memory=12Q:devices=-1:nonsense:log=2:memory=");
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(O.Memory, size_t(16) << 30);
  EXPECT_EQ(O.Devices, 1);
  EXPECT_FALSE(O.Log);
  EXPECT_EQ(std::count(Said.begin(), Said.end(), '\n'), 5) << Said;
  EXPECT_NE(Said.find("'memory=12Q'"), std::string::npos);
}

TEST(Options, Bytes) {
  size_t Bytes = 7;
  EXPECT_TRUE(parseBytes("0", Bytes));
  EXPECT_EQ(Bytes, 0u);
  EXPECT_TRUE(parseBytes("2k", Bytes));
  EXPECT_EQ(Bytes, 2048u);
  EXPECT_TRUE(parseBytes("1T", Bytes));
  EXPECT_EQ(Bytes, size_t(1) << 40);
  for (const char *Bad : {"", "-1", "1KB", "K", "1.5G", "99999999999999999999", "20000000T"})
    EXPECT_FALSE(parseBytes(Bad, Bytes)) << Bad;
}

TEST(Arena, FillsUpAndMergesHoles) {
  Arena A;
  ASSERT_TRUE(A.reserve(64 * Arena::Granularity, false));
  std::vector<uintptr_t> Blocks;
  while (uintptr_t Block = A.allocate(Arena::Granularity))
    Blocks.push_back(Block);
  EXPECT_EQ(Blocks.size(), 64u);
  EXPECT_EQ(A.used(), A.size());
  // Freed in an order that merges to the left, to the right and both.
  for (size_t I = 0; I < Blocks.size(); I += 2)
    EXPECT_TRUE(A.release(Blocks[I]));
  for (size_t I = Blocks.size(); I-- > 0;)
    EXPECT_EQ(A.release(Blocks[I]), I % 2 == 1);
  EXPECT_EQ(A.used(), 0u);
  EXPECT_NE(A.allocate(A.size()), 0u);
}

TEST(Arena, AlignsAndRefuses) {
  Arena A;
  ASSERT_TRUE(A.reserve(size_t(1) << 20, false));
  A.allocate(1);
  EXPECT_EQ(A.allocate(1, 65536) % 65536, 0u);
  EXPECT_EQ(A.allocate(size_t(1) << 20), 0u);
  EXPECT_EQ(A.allocate(~size_t(0)), 0u);
  EXPECT_FALSE(A.charge(size_t(1) << 20));
  EXPECT_TRUE(A.charge(4096));
  EXPECT_EQ(A.used(), 4096u + 2 * Arena::Granularity);
}

TEST(Arena, GuardedBlocksEndAtAPageAndCountAsMuchAsOthers) {
  Arena A;
  ASSERT_TRUE(A.reserve(size_t(1) << 20, true));
  uintptr_t Small = A.allocate(100), Large = A.allocate(10000);
  ASSERT_NE(Small, 0u);
  EXPECT_EQ((Small + Arena::Granularity) % 4096, 0u);
  EXPECT_EQ((Large + 10240) % 4096, 0u);
  EXPECT_EQ(A.used(), Arena::Granularity + 10240);
  std::memset(reinterpret_cast<void *>(Large), 1, 10000);
  EXPECT_TRUE(A.release(Large));
  EXPECT_FALSE(A.release(Large));
  EXPECT_EQ(A.used(), Arena::Granularity);
  EXPECT_NE(A.allocate((size_t(1) << 20) - Arena::Granularity), 0u);
  EXPECT_EQ(A.allocate(1), 0u);
}
