// help=1 prints the table of options; the program runs as ever.
// SPDX-License-Identifier: Apache-2.0
// RAW-OPTIONS: help=1 report=off
// EXPECT-STDERR: fail_on
// EXPECT-STDERR: suppressions
// EXPECT-STDERR: exitcode
// EXPECT-STDOUT: done
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
