// A fresh ledger, and the calls that fill it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_MEMORY_MEMORYCALLS_H
#define GPUINSTR_TEST_MEMORY_MEMORYCALLS_H

#include "Support.h"
#include <gtest/gtest.h>

namespace gpuinstr::test {

class MemoryCalls : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
  }
  gpuinstr_site *Malloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 100, GPUINSTR_RES_DEVICE,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  gpuinstr_site *FreeSite = makeSite(GPUINSTR_OP_FREE, "cudaFree", 101, GPUINSTR_RES_DEVICE,
                                     GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  static constexpr uint64_t Base = 0x7f0000000000;
  Function F;
};

} // namespace gpuinstr::test

#endif
