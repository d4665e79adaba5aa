// Where a launch's arguments hold addresses, and what the kernel does through each.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/scheduling/LaunchArguments.h"

using namespace gpuinstr;
using namespace gpuinstr::audit;
using namespace gpuinstr::test;

namespace {

constexpr uint8_t Read = GPUINSTR_ACCESS_READ, Write = GPUINSTR_ACCESS_WRITE,
                  Unknown = GPUINSTR_ACCESS_UNKNOWN, Regular = GPUINSTR_ACCESS_REGULAR;
using Met = std::vector<std::pair<uint64_t, unsigned>>; ///< address and access

/// A kernel of one struct of five words, as its module describes it.
struct KernelShapes : AuditTest {
  gpuinstr_param params[2] = {parameter(Read | Write, 40, 2), parameter(Write)};
  gpuinstr_kernel kernel = {}, again = {};
  gpuinstr_module module = {}, otherModule = {};
  LaunchCache cache;
  void SetUp() override {
    AuditTest::SetUp();
    kernel.size = sizeof kernel;
    kernel.stub = &kernel;
    kernel.name = kernel.file = "";
    kernel.params = params;
    kernel.num_params = 2;
    module.size = sizeof module;
    module.abi_version = GPUINSTR_ABI_VERSION;
    module.num_kernels = 1;
    module.kernels = &kernel;
    module.source = module.producer = module.defaults = "";
    module.image = &kernel;
  }
  void TearDown() override {
    table().unregister_module(&module);
    table().unregister_module(&otherModule);
    AuditTest::TearDown();
  }
  /// Another object describes the kernel, too, by parameters and members of its own.
  void describeAgain(const gpuinstr_param *params, uint32_t count,
                     const gpuinstr_member *members = nullptr, uint32_t numMembers = 0) {
    again = kernel;
    again.params = params;
    again.num_params = count;
    again.members = members;
    again.num_members = numMembers;
    otherModule = module;
    otherModule.kernels = &again;
    table().register_module(&module);
    table().register_module(&otherModule);
  }
  Met addresses() {
    table().register_module(&module);
    const char *base = alloc(10, 4096);
    const uint64_t first = reinterpret_cast<uint64_t>(base);
    uint64_t words[5] = {first, 7, first + 16, first + 24, first + 32}, last = first + 40;
    void *arguments[] = {words, &last};
    Met met;
    eachAddress(*findKernelShape(cache, reinterpret_cast<uint64_t>(&kernel), false), arguments,
                [&](uint64_t value, const KernelShape::Parameter &p) {
                  met.push_back({value - first, p.access});
                });
    return met;
  }
};

TEST_F(KernelShapes, AStructIsOnePart) {
  constexpr unsigned All = Read | Write;
  EXPECT_EQ(addresses(), (Met{{0, All}, {16, All}, {24, All}, {32, All}, {40, Write}}));
}

TEST_F(KernelShapes, EachMemberHasItsOwnAccess) {
  const gpuinstr_member members[] = {
      {0, Read, 0, 0}, {0, 0, 0, 16}, {0, Write | Unknown, 0, 32}, {9, Read, 0, 0}};
  kernel.members = members;
  kernel.num_members = 4;
  EXPECT_EQ(addresses(),
            (Met{{0, Read}, {16, 0}, {24, Read | Write}, {32, Write | Unknown}, {40, Write}}));
}

TEST_F(KernelShapes, MembersThatDoNotFitAreLeftOut) {
  const gpuinstr_member members[] = {{0, Read, 0, 16}, {0, 0, 0, 8}, {0, 0, 0, 36}, {1, 0, 0, 0}};
  kernel.members = members;
  kernel.num_members = 4;
  constexpr unsigned All = Read | Write;
  EXPECT_EQ(addresses(), (Met{{0, All}, {16, Read}, {24, All}, {32, All}, {40, Write}}));
}

TEST_F(KernelShapes, AKernelOfOlderCodeEndsBeforeThem) {
  kernel.size = offsetof(gpuinstr_kernel, members);
  kernel.members = reinterpret_cast<const gpuinstr_member *>(1);
  kernel.num_members = 1;
  EXPECT_EQ(addresses().size(), 5u);
}

// The linker keeps one body of a template's kernel. Macros may have made others of it elsewhere.
TEST_F(KernelShapes, TwoObjectsWithOneKernelSayTogetherWhatItMayDo) {
  params[1] = parameter(Write | Regular);
  const gpuinstr_member members[] = {{0, Read, 0, 0}, {0, 0, 0, 16}, {0, 0, 0, 32}};
  kernel.members = members;
  kernel.num_members = 3;
  const gpuinstr_param reads[] = {parameter(Read, 40, 2), parameter(Read)};
  const gpuinstr_member others[] = {{0, Write, 0, 0}, {0, 0, 0, 32}};
  describeAgain(reads, 2, others, 2);
  constexpr unsigned All = Read | Write;
  EXPECT_EQ(addresses(), (Met{{0, All}, {16, All}, {24, All}, {32, 0}, {40, All}}));
}

TEST_F(KernelShapes, TwoObjectsThatAgreeSayWhatOneSays) {
  params[1] = parameter(Write | Regular);
  const gpuinstr_member members[] = {{0, Read, 0, 0}, {0, 0, 0, 16}};
  kernel.members = members;
  kernel.num_members = 2;
  const gpuinstr_param same[] = {params[0], params[1]};
  describeAgain(same, 2, members, 2);
  constexpr unsigned All = Read | Write;
  EXPECT_EQ(addresses(), (Met{{0, Read}, {16, 0}, {24, All}, {32, All}, {40, Write | Regular}}));
}

TEST_F(KernelShapes, OfTwoThatDoNotFitTogetherNothingIsKnown) {
  const gpuinstr_param less[] = {parameter(Read | Write, 32, 2), parameter(Write)};
  for (uint32_t count : {1u, 2u}) {
    describeAgain(less, count);
    EXPECT_FALSE(findKernelShape(cache, reinterpret_cast<uint64_t>(&kernel), false)->known);
    table().unregister_module(&otherModule);
    table().unregister_module(&module);
  }
}

} // namespace
