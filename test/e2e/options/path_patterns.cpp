// Paths with a variable, the rank, the pid and a percent sign; folders are made.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: report=%t/out/%q{JOB}/report-%r.txt json=%t/out/%q{JOB}/100%%/%r-%p.json
// ENV: JOB=nightly
// ENV: PMI_RANK=3
// ENV: SLURM_PROCID=9
// EXPECT-FILE: out/nightly/report-3.txt
// EXPECT-FILE: out/nightly/100%/3-%p.json
// EXPECT-PROFILES: 1
// EXPECT-PROCESS: rank=3 rank_source=PMI_RANK
// EXPECT: leak proven variable=d_lost
// EXPECT-NO-STDERR: gpuinstr
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
