// The same with _exit(), which handlers may call, on a stack of its own.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// EXPECT-EXIT: 4
// EXPECT-PROFILES: 1
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=_exit exit_code=4
// EXPECT-SITE: kind=alloc line=@live calls=1
#include "Inputs/signal_in_call.h"

static void onSignal(int) { _exit(4); }

int main() {
  static char stack[1 << 16];
  stack_t other = {stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  void *d_live, *d_next;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  fflush(stdout);
  signalInCall = SIGUSR1;
  CHECK(cudaMalloc(&d_next, 1 << 20));
}
