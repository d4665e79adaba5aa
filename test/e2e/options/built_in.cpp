// Options built into the program; the environment adds to them and wins.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: '-fplugin-arg-gpuinstr-defaults=fail_on=leak exitcode=5 report=off'
// OPTIONS: exitcode=6
// EXPECT-EXIT: 6
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_lost
// EXPECT-REPORT: leak *d_lost
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
