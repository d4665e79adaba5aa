// The main thread has left by pthread_exit, and /proc/self leads nowhere: the program's name is known all the same, and
// what a global variable holds is no leak.
// NVIDIA's driver keeps the thread waiting for ever then (580, H200), without gpuinstr as well.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// FLAGS: -pthread
// EXPECT: leak proven variable=d_job function=work line=@leak count=1
// EXPECT: held-at-exit variable=kept function=work line=@kept count=1
// EXPECT-ALL
// EXPECT-REPORT: == gpuinstr: *app (pid *
// EXPECT-PROCESS: exe=*/app
// EXPECT-IMAGE: path=*/app instrumented=1
#include "../Inputs/check.h"

#include <pthread.h>
#include <thread>

static void *kept;

static void work(pthread_t main) {
  pthread_join(main, nullptr);
  void *d_job;
  CHECK(cudaMalloc(&d_job, 2048)); // @leak
  CHECK(cudaMalloc(&kept, 4096));  // @kept
  puts("worked");
}

int main() {
  std::thread(work, pthread_self()).detach();
  pthread_exit(nullptr);
}
