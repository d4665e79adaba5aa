// A global table of pointers and one past it in a global struct.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: held-at-exit information memory=device variable=g_levels[i] line=@level count=4 bytes=4096
// EXPECT: held-at-exit information memory=device variable=g_state.field line=@field count=1 bytes=512
// EXPECT-CLEAN
// EXPECT-TOTAL: memory=device count=5 bytes=4608
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static void *g_levels[4];
static struct {
  int version = 3;
  double *field = nullptr;
} g_state;

int main() {
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMalloc(&g_levels[i], 1024)); // @level
  CHECK(cudaMalloc(&g_state.field, 512)); // @field
  puts("done");
}
