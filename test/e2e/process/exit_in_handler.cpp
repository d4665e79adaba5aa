// A handler of signals calls exit() where no call was interrupted: an end like any other, with its leak.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT-EXIT[both]: 3
// EXPECT-PLAIN-EXIT[both]: 3
// EXPECT: leak proven variable=d_lost line=@lost count=1
// EXPECT-ALL
// EXPECT-PROCESS[both]: ended=exit exit_code=3
#include "../Inputs/check.h"

#include <csignal>
#include <cstdlib>
#include <cuda_runtime.h>

static void onSignal(int) { exit(3); }

int main() {
  void *d_lost;
  CHECK(cudaMalloc(&d_lost, 1 << 20)); // @lost
#ifdef FIXED
  CHECK(cudaFree(d_lost));
#endif
  puts("working");
  signal(SIGUSR1, onSignal);
  raise(SIGUSR1);
}
