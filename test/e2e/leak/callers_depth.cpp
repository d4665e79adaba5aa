// Wrappers of wrappers: each line that uses the outermost is a row of its own, and callers=2 adds
// who called that.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: -fplugin-arg-gpuinstr-callers=2
// TWIN: FIXED
// EXPECT: leak proven memory=device function=main line=@small via=@alloc via-function=allocate count=1 bytes=100
// EXPECT: leak proven memory=device function=main line=@large via=@alloc via-function=allocate count=1 bytes=200
// EXPECT: leak proven memory=device function=stage line=@kept via=@alloc caller=@stage caller-function=main count=1 bytes=400
// EXPECT-ALL
// EXPECT-REPORT: via callers_depth.cpp:{@table} table, callers_depth.cpp:{@alloc} allocate
// EXPECT-REPORT: called from callers_depth.cpp:{@stage} main
#include "../Inputs/check.h"

static void *allocate(size_t bytes) {
  void *block;
  CHECK(cudaMalloc(&block, bytes)); // @alloc
  return block;
}

__attribute__((noinline)) static void *table(size_t rows) {
  return allocate(rows * 4); // @table
}

static int stage() {
  void *kept = table(100); // @kept
#ifdef FIXED
  CHECK(cudaFree(kept));
#else
  (void)kept;
#endif
  return 0;
}

int main() {
  void *small = table(25); // @small
  void *large = table(50); // @large
  void *freed = table(75);
  CHECK(cudaFree(freed));
#ifdef FIXED
  CHECK(cudaFree(small));
  CHECK(cudaFree(large));
#else
  (void)small, (void)large;
#endif
  puts(stage() ? "failed" : "done"); // @stage
}
