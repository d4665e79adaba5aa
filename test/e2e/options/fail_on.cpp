// fail_on turns a finding into an exit code, and nothing else does.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: fail_on=leak
// TWIN: FIXED
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_lost line=@leak
// EXPECT-PROCESS: exit_code=0
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
