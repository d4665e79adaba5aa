// Sets the simulated devices before any test asks for one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

int main(int Count, char **Args) {
  setenv("GPUINSTR_SIM", "memory=64M:devices=2:kernels=skip", /*overwrite=*/0);
  unsetenv("CUDA_VISIBLE_DEVICES");
  testing::InitGoogleTest(&Count, Args);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}
