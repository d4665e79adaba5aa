// Allocated in a library without gpuinstr, used and freed here: legal.
// SPDX-License-Identifier: Apache-2.0
// SHARED-PLAIN: libforeign.so Inputs/foreign.cpp
// EXPECT-CLEAN
// EXPECT-NO: invalid-free
// EXPECT-NO: double-free
// EXPECT-NO: out-of-bounds-copy
// EXPECT-NO: copy-after-free
// EXPECT-SITE: kind=free line=@free calls=2 failed=0
// EXPECT-REPORT: *4 operations used memory that instrumented code did not allocate*
// EXPECT-NO-REPORT: *clean*
#include "../Inputs/check.h"
#include "Inputs/foreign.h"

int main() {
  char host[4096] = "";
  // One of our own, freed here, whose address the library is then likely to get.
  void *d_own;
  CHECK(cudaMalloc(&d_own, 4096));
  CHECK(cudaFree(d_own));
  for (int i = 0; i < 2; ++i) {
    char *d_foreign = static_cast<char *>(foreignAllocate(4096));
    CHECK(cudaMemcpy(d_foreign + 96, host, 4000, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(host, d_foreign, 4096, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_foreign)); // @free
  }
  puts("done");
}
