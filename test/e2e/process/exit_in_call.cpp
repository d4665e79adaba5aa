// A handler of signals calls exit() while its thread is in a call: CUDA's locks are never given back.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// EXPECT-EXIT: 3
// EXPECT-PROFILES: 1
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended="exit in a call" exit_code=3
// EXPECT-REPORT: *nothing found up to there*
// EXPECT-REPORT: *ended by exit() within a call: live memory is no leak then*
// EXPECT-SITE: kind=alloc line=@live calls=1
#include "Inputs/signal_in_call.h"

#include <cstdlib>

static void onSignal(int) { exit(3); }

int main() {
  void *d_live, *d_next;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  signal(SIGUSR1, onSignal);
  signalInCall = SIGUSR1;
  CHECK(cudaMalloc(&d_next, 1 << 20));
}
