// Unknown keys and bad values: one line each, the defaults are used.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: json=%t/profile.json report=off verbos=1 exitcode=999 fail_on=leek
// EXPECT-STDERR: gpuinstr: *verbos
// EXPECT-STDERR: gpuinstr: *exitcode
// EXPECT-STDERR: gpuinstr: *leek
// EXPECT-EXIT: 0
// EXPECT: leak proven variable=d_lost
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
