// Under a launcher the other ranks write their files and print nothing.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: json=%t/rank-%r.json
// ENV: OMPI_COMM_WORLD_RANK=1
// EXPECT-FILE: rank-1.json
// EXPECT-PROCESS: rank=1 rank_source=OMPI_COMM_WORLD_RANK
// EXPECT: leak proven variable=d_lost
// EXPECT-NO-STDERR: gpuinstr
// EXPECT-NO-STDERR: leak
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
