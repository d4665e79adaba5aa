// json_every=1: a process that SIGKILL ends leaves its last state; its live memory is no leak.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: json_every=1
// EXPECT-EXIT: signal 9
// EXPECT-PROFILES: 1
// EXPECT-NO: leak
// EXPECT-PROCESS: ended="running"
// EXPECT-SITE: line=@set calls>=3
#include "../Inputs/check.h"

#include <chrono>
#include <csignal>
#include <thread>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_live, i, 512)); // @set
  puts("working");
  fflush(stdout);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  raise(SIGKILL);
}
