// GPUINSTR_SIM and the allocator of device memory.
// SPDX-License-Identifier: Apache-2.0
#include "common/SimulatorOptions.h"
#include "device/state/Arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace gpuinstr::sim;

TEST(Options, Defaults) {
  Options o = parseOptions(nullptr);
  EXPECT_EQ(o.memory, size_t(16) << 30);
  EXPECT_EQ(o.devices, 1);
  EXPECT_FALSE(o.log);
  EXPECT_EQ(o.oracle, "");
}

TEST(Options, AllKeys) {
  Options o = parseOptions("memory=3M:devices=4:log=1:threads=3:kernels=skip:check=off:oracle=/x");
  EXPECT_EQ(o.memory, size_t(3) << 20);
  EXPECT_EQ(o.devices, 4);
  EXPECT_TRUE(o.log);
  EXPECT_EQ(o.threads, 3);
  EXPECT_TRUE(o.skipKernels);
  EXPECT_FALSE(o.guardPages);
  EXPECT_EQ(o.oracle, "/x");
}

TEST(Options, HostMemory) {
  EXPECT_FALSE(parseOptions("host=open").reachesHost);
  EXPECT_TRUE(parseOptions("host=reached").reachesHost);
  EXPECT_FALSE(parseOptions("host=reached").tellsHostArguments);
  EXPECT_TRUE(parseOptions("host=told").tellsHostArguments);
}

TEST(Options, BadValuesKeepTheDefaultAndSaySo) {
  testing::internal::CaptureStderr();
  Options o = parseOptions("memory=12Q:devices=-1:nonsense:log=2:memory=");
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(o.memory, size_t(16) << 30);
  EXPECT_EQ(o.devices, 1);
  EXPECT_FALSE(o.log);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 5) << said;
  EXPECT_NE(said.find("'memory=12Q'"), std::string::npos);
}

TEST(Options, Bytes) {
  size_t bytes = 7;
  EXPECT_TRUE(parseBytes("0", bytes));
  EXPECT_EQ(bytes, 0u);
  EXPECT_TRUE(parseBytes("2k", bytes));
  EXPECT_EQ(bytes, 2048u);
  EXPECT_TRUE(parseBytes("1T", bytes));
  EXPECT_EQ(bytes, size_t(1) << 40);
  for (const char *bad : {"", "-1", "1KB", "K", "1.5G", "99999999999999999999", "20000000T"})
    EXPECT_FALSE(parseBytes(bad, bytes)) << bad;
}

TEST(Arena, FillsUpAndMergesHoles) {
  Arena a;
  ASSERT_TRUE(a.reserve(64 * Arena::Granularity, false));
  std::vector<uintptr_t> blocks;
  while (uintptr_t block = a.allocate(Arena::Granularity))
    blocks.push_back(block);
  EXPECT_EQ(blocks.size(), 64u);
  EXPECT_EQ(a.used(), a.size());
  // Freed in an order that merges to the left, to the right and both.
  for (size_t i = 0; i < blocks.size(); i += 2)
    EXPECT_TRUE(a.release(blocks[i]));
  for (size_t i = blocks.size(); i-- > 0;)
    EXPECT_EQ(a.release(blocks[i]), i % 2 == 1);
  EXPECT_EQ(a.used(), 0u);
  EXPECT_NE(a.allocate(a.size()), 0u);
}

TEST(Arena, AlignsAndRefuses) {
  Arena a;
  ASSERT_TRUE(a.reserve(size_t(1) << 20, false));
  a.allocate(1);
  EXPECT_EQ(a.allocate(1, 65536) % 65536, 0u);
  EXPECT_EQ(a.allocate(size_t(1) << 20), 0u);
  EXPECT_EQ(a.allocate(~size_t(0)), 0u);
  EXPECT_FALSE(a.charge(size_t(1) << 20));
  EXPECT_TRUE(a.charge(4096));
  EXPECT_EQ(a.used(), 4096u + 2 * Arena::Granularity);
}

TEST(Arena, GuardedBlocksEndAtAPageAndCountAsMuchAsOthers) {
  Arena a;
  ASSERT_TRUE(a.reserve(size_t(1) << 20, true));
  uintptr_t small = a.allocate(100), large = a.allocate(10000);
  ASSERT_NE(small, 0u);
  EXPECT_EQ((small + Arena::Granularity) % 4096, 0u);
  EXPECT_EQ((large + 10240) % 4096, 0u);
  EXPECT_EQ(a.used(), Arena::Granularity + 10240);
  std::memset(reinterpret_cast<void *>(large), 1, 10000);
  EXPECT_TRUE(a.release(large));
  EXPECT_FALSE(a.release(large));
  EXPECT_EQ(a.used(), Arena::Granularity);
  EXPECT_NE(a.allocate((size_t(1) << 20) - Arena::Granularity), 0u);
  EXPECT_EQ(a.allocate(1), 0u);
}
