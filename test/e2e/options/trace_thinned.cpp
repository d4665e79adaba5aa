// budget=0 leaves the trace the first calls of a hot site and a few of the others: the report says
// so. Counts stay exact.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: trace=%t/run.trace budget=0
// EXPECT-CLEAN
// EXPECT-SITE: line=@hot calls=5000
// EXPECT-NOTE: trace: * events of hot sites are left out: budget=0 (budget=100 keeps all)
// EXPECT-REPORT: trace: * events of hot sites are left out: budget=0
// EXPECT-FILE: run.trace
#include "../Inputs/check.h"

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  for (int i = 0; i < 5000; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @hot
  CHECK(cudaFree(d_field));
  puts("done");
}
