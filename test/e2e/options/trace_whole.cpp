// budget=100 keeps the trace whole: nothing is left out of a hot site.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: trace=%t/run.trace budget=100
// EXPECT-CLEAN
// EXPECT-SITE: line=@hot calls=3000
// EXPECT-NO-REPORT: hot sites are left out
// EXPECT-FILE: run.trace
#include "../Inputs/check.h"

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  for (int i = 0; i < 3000; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @hot
  CHECK(cudaFree(d_field));
  puts("done");
}
