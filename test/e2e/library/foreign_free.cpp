// Allocated here, freed in a library without gpuinstr: no leak.
// SPDX-License-Identifier: Apache-2.0
// SHARED-PLAIN: libforeign.so Inputs/foreign.cpp
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-SITE: kind=alloc line=@alloc calls=3
// EXPECT-IMAGE: path=*libforeign.so instrumented=0
#include "../Inputs/check.h"
#include "Inputs/foreign.h"

int main() {
  for (int i = 0; i < 3; ++i) {
    void *d_block;
    CHECK(cudaMalloc(&d_block, 65536)); // @alloc
    if (foreignFill(d_block, 65536) || foreignRelease(d_block))
      return 1;
  }
  puts("done");
}
