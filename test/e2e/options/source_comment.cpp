// A comment in the source accepts findings on its line; another id does not, and one that is none is told.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// OPTIONS: fail_on=leak
// TWIN: FIXED
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_singleton suppressed=1 bytes=1024
// EXPECT: leak proven variable=d_lost suppressed=0 bytes=2048
// EXPECT: leak proven variable=d_both suppressed=1 bytes=512
// EXPECT: unused-allocation likely variable=d_both suppressed=1
// EXPECT-NOTE: source_comment.cpp:24: gpuinstr-ignore: 'leek' is no finding
// EXPECT-ALL
// EXPECT-REPORT: SUPPRESSED 3
// EXPECT-NO-REPORT: leak *d_singleton
// EXPECT[twin]: leak proven variable=d_singleton suppressed=1 bytes=1024
#include "../Inputs/check.h"

int main() {
  void *d_singleton, *d_lost, *d_both, *d_fine;
  CHECK(cudaMalloc(&d_singleton, 1024)); // gpuinstr-ignore: leak lives as long as the process
  CHECK(cudaMalloc(&d_lost, 2048)); // gpuinstr-ignore: double-free not this one
  CHECK(cudaMalloc(&d_both, 512)); // gpuinstr-ignore: leak, unused-allocation, kept in reserve
  CHECK(cudaMalloc(&d_fine, 256)); // gpuinstr-ignore: leek
  CHECK(cudaFree(d_fine));
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
