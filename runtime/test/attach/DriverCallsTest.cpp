// Which driver calls may be counted and no more, and what the runtime is told of them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/driver/DriverCalls.h"
#include "cuda/operands/LaunchConfig.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace gpuinstr;
using namespace gpuinstr::attach;

namespace {

uint32_t numberOf(const std::string &name) {
  static const struct {
    const char *name;
    uint32_t number;
  } all[] = {
#define P(offset, bytes)
#define DRIVER_CALL(row, name, number, parameters) {#name, number},
#include "attach/driver/DriverCalls.def"
#undef P
  };
  for (const auto &one : all)
    if (one.name == name)
      return one.number;
  return MostCalls;
}

struct Thinnable : testing::Test {
  static void SetUpTestSuite() { fillDriverCalls(); }
  /// Of a call with these words as parameters; 0: it may not.
  static uint64_t operand(const char *name, const uint64_t *parameters) {
    const DriverCall *call = driverCall(numberOf(name));
    EXPECT_TRUE(call) << name;
    uint64_t operand = 0;
    return call && mayBeThinned(*call, parameters, operand) ? operand : 0;
  }
};

TEST_F(Thinnable, ALaunchIsOnItsStream) {
  uint64_t parameters[8] = {0x10};
  parameters[5] = 0x5000; // behind the function, six sizes and the shared memory
  EXPECT_EQ(operand("cuLaunchKernel", parameters), 0x5000u);
  parameters[5] = 0;
  EXPECT_EQ(operand("cuLaunchKernel", parameters), 0u);
  EXPECT_EQ(operand("cuLaunchKernel_ptsz", parameters), 2u) << "the thread's own";
}

TEST_F(Thinnable, AConfiguredOneWithoutTies) {
  cuda::LaunchAttribute cluster = {4, 0, {2}}, tied = {6, 0, {1}}, inOrder = {6, 0, {0}};
  cuda::DriverLaunchConfig config = {};
  config.stream = 0x6000;
  const uint64_t parameters[4] = {reinterpret_cast<uint64_t>(&config)};
  EXPECT_EQ(operand("cuLaunchKernelEx", parameters), 0x6000u);
  for (const auto *attribute : {&cluster, &inOrder}) {
    config.attributes = attribute;
    config.count = 1;
    EXPECT_EQ(operand("cuLaunchKernelEx", parameters), 0x6000u);
  }
  config.attributes = &tied;
  EXPECT_EQ(operand("cuLaunchKernelEx", parameters), 0u);
  const uint64_t none[4] = {};
  EXPECT_EQ(operand("cuLaunchKernelEx", none), 0u);
}

TEST_F(Thinnable, AChangeOfAnExecutablesNode) {
  const uint64_t parameters[4] = {0x7000, 0x7100, 0x7200};
  EXPECT_EQ(operand("cuGraphExecKernelNodeSetParams_v2", parameters), 0x7000u);
}

TEST_F(Thinnable, NothingElse) {
  const uint64_t parameters[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const char *name :
       {"cuMemcpyHtoDAsync_v2", "cuMemAlloc_v2", "cuGraphLaunch", "cuEventRecord",
        "cuStreamSynchronize", "cuMemsetD8_v2", "cuGraphExecUpdate_v2"})
    EXPECT_EQ(operand(name, parameters), 0u) << name;
}

} // namespace
