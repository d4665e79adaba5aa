// The program's own SIGTERM handler comes first and last: it ends normally.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT-EXIT: 0
// EXPECT: leak proven variable=d_live line=@live
// EXPECT-PROCESS: ended=exit
// EXPECT-STDOUT[both]: stopping
#include "../Inputs/check.h"

#include <csignal>

static volatile sig_atomic_t stop;
static void onTerm(int) { stop = 1; }

int main() {
  struct sigaction action = {};
  action.sa_handler = onTerm;
  sigaction(SIGTERM, &action, nullptr);
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  raise(SIGTERM);
  while (!stop)
    ;
  puts("stopping");
#ifdef FIXED
  CHECK(cudaFree(d_live));
#endif
}
