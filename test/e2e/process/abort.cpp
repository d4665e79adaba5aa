// abort: the profile is written, the signal stays.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-EXIT: signal 6
// EXPECT-PROFILES: 1
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=abort
// EXPECT-REPORT: ive when killed
#include "../Inputs/check.h"


int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  fflush(stdout);
  abort();
}
