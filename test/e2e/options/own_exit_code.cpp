// The program's own non-zero exit code wins over fail_on.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: fail_on=proven
// EXPECT-EXIT: 7
// EXPECT: leak proven variable=d_lost line=@leak
// EXPECT-PROCESS: exit_code=7
#include "../Inputs/check.h"

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1024)); // @leak
  puts("done");
  return 7;
}
