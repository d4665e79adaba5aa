// A global that is not cleared after the free gets to point to other memory, which nobody holds.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: simulator
// TWIN: FIXED
// OPTIONS: fail_on='leak:likely'
// EXPECT: leak likely memory=device variable=d_lost line=@lost count=1 bytes=4096
// EXPECT: held-at-exit information memory=device variable=g_table line=@table count=1 bytes=65536
// EXPECT-NO[both]: leak variable=g_table
// EXPECT-NO: held-at-exit variable=d_lost
// EXPECT-ALL
// EXPECT-REPORT: *or held by g_old, allocated at earlier_address.cpp:{@old} main
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT-EXIT[twin]: 0
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static void *g_old;
static float *g_table;

int main() {
  // Its own call stores the address anew: held, though it stood there before.
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaFree(g_table));
    CHECK(cudaMalloc(&g_table, 65536)); // @table
  }
  CHECK(cudaMalloc(&g_old, 4096)); // @old
  CHECK(cudaFree(g_old));
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 4096)); // @lost
  puts(d_lost == g_old ? "the same address" : "another address");
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
}
