// Never freed, but a global still points there: held at exit, not leaked.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: held-at-exit information memory=device variable=g_table line=@table count=1 bytes=64000
// EXPECT: held-at-exit information memory=pinned variable=g_host line=@pinned count=1 bytes=4096
// EXPECT: leak proven memory=device variable=g_lost line=@lost count=1 bytes=256
// EXPECT-ALL
// EXPECT-TOTAL: memory=device count=2 bytes=64256
// EXPECT-REPORT: HELD AT EXIT*g_table*global_pointer.cpp:{@table}
// EXPECT-NO[twin]: held-at-exit
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static float *g_table;
float *g_lost;
static char *g_host;

static void loadTables() {
  CHECK(cudaMalloc(&g_table, 64000)); // @table
  CHECK(cudaMemset(g_table, 0, 64000));
  CHECK(cudaMallocHost(&g_host, 4096)); // @pinned
  CHECK(cudaMalloc(&g_lost, 256)); // @lost
}

int main() {
  loadTables();
#ifdef FIXED
  CHECK(cudaFree(g_table));
  CHECK(cudaFreeHost(g_host));
  CHECK(cudaFree(g_lost));
#endif
  g_lost = nullptr;
  puts("done");
}
