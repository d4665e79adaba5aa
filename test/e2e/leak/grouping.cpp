// Leaks of one line and variable are one finding; freed ones do not count.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_block function=allocateAll line=@leak count=3 bytes=196608
// EXPECT-ALL
// EXPECT-SITE: kind=alloc line=@leak calls=4 failed=0 bytes=262144
#include "../Inputs/check.h"

static void allocateAll(int blocks) {
  for (int i = 0; i < blocks; ++i) {
    void *d_block = nullptr;
    CHECK(cudaMalloc(&d_block, 65536)); // @leak
    CHECK(cudaMemset(d_block, i, 65536));
#ifndef FIXED
    if (i == 2)
#endif
      CHECK(cudaFree(d_block));
  }
}

int main() {
  allocateAll(4);
  puts("done");
}
