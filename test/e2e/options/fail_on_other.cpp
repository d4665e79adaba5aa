// fail_on another finding: the leak is told, the exit code stays.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: fail_on=double-free,ignored-error,waste
// EXPECT-EXIT: 0
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
