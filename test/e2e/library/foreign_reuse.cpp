// A foreign library frees our block and gets its address again: that one is not ours.
// SPDX-License-Identifier: Apache-2.0
// SHARED-PLAIN: libforeign.so Inputs/foreign.cpp
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-NO: held-at-exit
#include "../Inputs/check.h"
#include "Inputs/foreign.h"

static void *g_kept;

int main() {
  void *d_block;
  CHECK(cudaMalloc(&d_block, 1 << 20));
  if (foreignRelease(d_block))
    return 1;
  g_kept = foreignAllocate(1 << 20);
  printf("kept %d\n", g_kept != nullptr);
}
