// After SIGTERM the profile is written, the program dies of the signal.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-EXIT: signal 15
// EXPECT-PROFILES: 1
// EXPECT-NO: leak
// EXPECT-PROCESS: ended="signal 15"
// EXPECT-REPORT: ive when killed
#include "../Inputs/check.h"

#include <csignal>
#include <unistd.h>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  fflush(stdout);
  raise(SIGTERM);
  pause();
}
