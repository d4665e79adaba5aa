// Option fail=: what is understood. What it does: test/unharmed/failures.test.
// SPDX-License-Identifier: Apache-2.0
#include "common/Failures.h"
#include <gtest/gtest.h>

using namespace gpuinstr::sim;

TEST(Failures, AreUnderstood) {
  for (const char *good : {"cudaMalloc@3=2", "cuda*@1+=999", "cu[A-Z]*@5%=1,cudaFree@2=700"})
    EXPECT_TRUE(areFailures(good)) << good;
  for (const char *bad : {"", "cudaMalloc", "cudaMalloc@3", "@3=2", "cudaMalloc@=2", "a@0=2",
                          "a@3=0", "a@3=x", "a@3-=2", "a@3=2,", "a@3=2,b"})
    EXPECT_EQ(areFailures(bad), std::string(bad) == "a@3=2,") << bad;
}

TEST(Failures, StayWhereTheDeviceIsLost) {
  EXPECT_TRUE(isSticky(700));
  EXPECT_TRUE(isSticky(719));
  EXPECT_FALSE(isSticky(2));
  EXPECT_FALSE(isSticky(600));
}
