// exitcode=N with the class of all bugs.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: fail_on=bugs exitcode=42
// TWIN: FIXED
// EXPECT-EXIT: 42
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_lost line=@leak
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("done");
}
