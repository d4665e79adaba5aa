// Rank 0 prints, and says how the others' files are named.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: json=%t/rank-%r.json
// ENV: RANK=0
// EXPECT-FILE: rank-0.json
// EXPECT-PROCESS: rank=0 rank_source=RANK
// EXPECT-STDERR: == gpuinstr:
// EXPECT-STDERR: rank-*.json
// EXPECT-STDERR: SUMMARY: gpuinstr: 1 leak
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
