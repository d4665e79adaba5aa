// Which driver calls may go unseen.
// SPDX-License-Identifier: Apache-2.0
#include "attach/driver/DriverCalls.h"
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

TEST(DriverCalls, ThoseThatLoopsMakeAllTheTimeMayGoUnseen) {
  fillDriverCalls();
  auto mayGo = [](const char *name) {
    const DriverCall *call = driverCall(numberOf(name));
    EXPECT_TRUE(call) << name;
    return call && call->flags & GPUINSTR_SITE_FREQUENT;
  };
  for (const char *name :
       {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx", "cuLaunchCooperativeKernel",
        "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2", "cuEventRecord", "cuEventQuery",
        "cuStreamWaitEvent", "cuStreamQuery", "cuLaunchHostFunc", "cuMemsetD8Async",
        "cuMemcpyDtoDAsync_v2"})
    EXPECT_TRUE(mayGo(name)) << name;
  for (const char *name :
       {"cuMemcpyHtoDAsync_v2", "cuMemcpyAsync", "cuMemcpyDtoD_v2", "cuMemAlloc_v2", "cuMemFree_v2",
        "cuStreamSynchronize", "cuEventSynchronize", "cuMemsetD8_v2", "cuGraphExecUpdate_v2",
        "cuEventCreate", "cuStreamBeginCapture_v2", "cuStreamWriteValue64_v2",
        "cuGraphAddKernelNode_v2"})
    EXPECT_FALSE(mayGo(name)) << name;
}

} // namespace
