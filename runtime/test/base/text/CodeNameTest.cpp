// Qualified names of C++ in columns that are too narrow for them.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include <gtest/gtest.h>

namespace {

using gpuinstr::shortenName;

const std::string Sort = "cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<cub::detail::"
                         "radix::policy_hub<float>::Policy1000, float, int>";

TEST(CodeName, WhatFitsStays) { EXPECT_EQ(shortenName(Sort, 200), Sort); }

TEST(CodeName, ArgumentsGoFirst) {
  EXPECT_EQ(shortenName(Sort, 80),
            "cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<cub::detail...float, int>");
  EXPECT_EQ(shortenName(Sort, 60), "cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<...>");
  EXPECT_EQ(shortenName("scale<float>", 11), "scale<...>");
}

TEST(CodeName, ThenOuterScopes) {
  EXPECT_EQ(shortenName(Sort, 52), "...::radix_sort::DeviceRadixSortOnesweepKernel<...>");
  EXPECT_EQ(shortenName(Sort, 47), "...::DeviceRadixSortOnesweepKernel<...>");
  EXPECT_EQ(shortenName("acme::(anonymous namespace)::smooth", 20), "...::smooth");
  EXPECT_EQ(shortenName("lib::Ops<int, 128>::map<Twice>", 27), "...::map<Twice>");
}

TEST(CodeName, TheNameItselfLosesItsMiddleLast) {
  EXPECT_EQ(shortenName(Sort, 20), gpuinstr::shorten("DeviceRadixSortOnesweepKernel", 20));
}

TEST(CodeName, OtherTextLosesItsMiddle) {
  for (const char *text : {"a very long text without names", "left <- right of the very long row",
                           "std::operator<<<char, long>", "open<bracket, and no more of it",
                           "end::of::a::name::that::stops::"})
    EXPECT_EQ(shortenName(text, 16), gpuinstr::shorten(text, 16)) << text;
}

} // namespace
