// Addresses that the host stores into __managed__ variables, without a call: a kernel that may
// follow them may reach any memory. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

namespace gpuinstr::test {
namespace {

struct ManagedVariables : VariedBytes {
  char *flag = nullptr, *other = nullptr;
  void SetUp() override {
    VariedBytes::SetUp();
    flag = alloc(10);
    other = alloc(11);
  }
  void run(const char *kernel, uint32_t flags, uint32_t ofModule) {
    moduleFlags = ofModule;
    for (int i = 0; i < 6; ++i) {
      upload(20, flag, host.data());
      launch(kernel, {parameter(Reads)}, {other}, 0, flags | GPUINSTR_KERNEL_ENDS);
    }
  }
};

TEST_F(ManagedVariables, LeadAKernelAnywhere) {
  run("follows", 0, GPUINSTR_MODULE_HOLDS_MANAGED);
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
  EXPECT_EQ(finding("noop-copy", "likely").count, 5u);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(ManagedVariables, OfAnotherModuleDo) {
  moduleFlags = GPUINSTR_MODULE_HOLDS_MANAGED;
  launch("holder", {}, {}, 0, GPUINSTR_KERNEL_KEEPS_GLOBALS | GPUINSTR_KERNEL_ENDS);
  run("callsTheOther", 0, 0);
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
}

TEST_F(ManagedVariables, LeadAKernelNowhereThatLooksAtNone) {
  run("keeps", GPUINSTR_KERNEL_KEEPS_GLOBALS, GPUINSTR_MODULE_HOLDS_MANAGED);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
}

TEST_F(ManagedVariables, OfNumbersAloneLeadNowhere) {
  run("counts", 0, 0);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
}

} // namespace
} // namespace gpuinstr::test
