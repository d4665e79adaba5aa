// mark and leaks_since bound one test case; without the plugin they say nothing.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -I%gpuinstr
// EXPECT-STDERR: first: 0 leaks, 0 bytes
// EXPECT-STDERR: second: 2 leaks, 3072 bytes
// EXPECT-STDERR: third: 0 leaks, 0 bytes
// EXPECT: leak proven variable=d_a line=@a count=1
// EXPECT: leak proven variable=d_b line=@b count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

static void balanced() {
  void *d_x;
  CHECK(cudaMalloc(&d_x, 4096));
  CHECK(cudaFree(d_x));
}

static void careless() {
  void *d_a, *d_b;
  CHECK(cudaMalloc(&d_a, 1024)); // @a
  CHECK(cudaMalloc(&d_b, 2048)); // @b
}

static void testCase(const char *name, void (*body)()) {
  uint64_t bytes = 0, mark = gpuinstr_mark();
  body();
  uint64_t leaks = gpuinstr_leaks_since(mark, &bytes);
  fprintf(stderr, "%s: %d leaks, %d bytes\n", name, int(leaks), int(bytes));
}

int main() {
  testCase("first", balanced);
  testCase("second", careless);
  testCase("third", balanced);
  puts("done");
}
