// exit() on a second thread while the first one waits.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// EXPECT-EXIT: 4
// EXPECT: leak proven variable=d_job function=work line=@leak count=1
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit exit_code=4
#include "../Inputs/check.h"

#include <thread>

static void work() {
  void *d_job;
  CHECK(cudaMalloc(&d_job, 2048)); // @leak
  puts("leaving");
  exit(4);
}

int main() {
  std::thread worker(work);
  worker.join();
  puts("not reached");
}
