// Without a launcher %r is p and the pid.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: report=off json=%t/profile-%r.json
// EXPECT-FILE: profile-p%p.json
// EXPECT-PROCESS: rank=-1
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
