// With no option at all the report goes to stderr in one piece, without colour.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS:
// EXPECT-PROFILES: 0
// EXPECT-STDERR: == gpuinstr: *app (pid %p)
// EXPECT-STDERR: RESULT *1 bug
// EXPECT-STDERR: leak *1.02 kB*x1*d_lost*stderr_report.cpp:
// EXPECT-STDERR: SUMMARY: gpuinstr: 1 leak (1.02 kB)
// EXPECT-NO-STDERR: \e
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
