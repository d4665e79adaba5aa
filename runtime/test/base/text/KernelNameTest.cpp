// Names of kernels as people write them.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/KernelName.h"
#include <gtest/gtest.h>

using gpuinstr::shortKernelName;

TEST(KernelName, AsInTheSource) {
  EXPECT_EQ(shortKernelName("_Z3oneILi4EEvPf"), "one<4>");
  EXPECT_EQ(shortKernelName("_ZN2ns5scaleEPfi"), "ns::scale");
  EXPECT_EQ(shortKernelName("loop_multiply_fusion"), "loop_multiply_fusion");
  EXPECT_EQ(shortKernelName(""), "");
  EXPECT_EQ(shortKernelName(nullptr), "");
}

TEST(KernelName, OfNumbaThePythonFunction) {
  EXPECT_EQ(shortKernelName("_ZN8__main__3addB2v1B94cw51cXTLSUwv1sCUt9Uw1VEw0NRRQPKzLTg4gaGKFsG2oE5"
                            "ArrayIfLi1E1C7mutable7alignedE"),
            "add");
  EXPECT_EQ(shortKernelName("_ZN6models4Step5applyB2v3B2cwE5ArrayIfLi1EE"), "Step.apply");
  for (const char *broken : {"_ZN", "_ZN8", "_ZN8__main__3addB2", "_ZN99x", "_ZN3addB2v1"})
    EXPECT_FALSE(shortKernelName(broken).empty()) << broken;
}
