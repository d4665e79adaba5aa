// callers=2 looks through two wrappers; each calling line is a finding of its own.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: -fplugin-arg-gpuinstr-callers=2
// TWIN: FIXED
// EXPECT: leak proven memory=device function=allocate line=@alloc count=1 bytes=100
// EXPECT: leak proven memory=device function=allocate line=@alloc count=1 bytes=200
// EXPECT-ALL
#include "../Inputs/check.h"

static void *allocate(size_t bytes) {
  void *block;
  CHECK(cudaMalloc(&block, bytes)); // @alloc
  return block;
}

__attribute__((noinline)) static void *table(size_t rows) { return allocate(rows * 4); }

int main() {
  void *small = table(25);
  void *large = table(50);
  void *freed = table(75);
  CHECK(cudaFree(freed));
#ifdef FIXED
  CHECK(cudaFree(small));
  CHECK(cudaFree(large));
#else
  (void)small, (void)large;
#endif
  puts("done");
}
