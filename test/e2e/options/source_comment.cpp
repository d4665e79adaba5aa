// A comment in the source accepts a finding on its line; another id does not.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// OPTIONS: fail_on=leak
// TWIN: FIXED
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_singleton suppressed=1 bytes=1024
// EXPECT: leak proven variable=d_lost suppressed=0 bytes=2048
// EXPECT-ALL
// EXPECT-REPORT: SUPPRESSED 1
// EXPECT-NO-REPORT: leak *d_singleton
// EXPECT[twin]: leak proven variable=d_singleton suppressed=1 bytes=1024
#include "../Inputs/check.h"

int main() {
  void *d_singleton, *d_lost;
  CHECK(cudaMalloc(&d_singleton, 1024)); // gpuinstr-ignore: leak lives as long as the process
  CHECK(cudaMalloc(&d_lost, 2048)); // gpuinstr-ignore: double-free not this one
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
