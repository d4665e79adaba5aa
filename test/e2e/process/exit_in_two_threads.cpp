// Two threads call exit() at once: one writes the report, and the other does not end the process meanwhile. The C library
// keeps the second one waiting from 2.41 on.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// EXPECT-EXIT: 4
// EXPECT: leak proven variable=d_job function=main line=@leak count=1
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit exit_code=4
#include "../Inputs/check.h"

#include <atomic>
#include <thread>
#include <vector>

int main() {
  void *d_job;
  CHECK(cudaMalloc(&d_job, 2048)); // @leak
  puts("leaving");
  fflush(stdout);
  std::atomic<int> ready{0};
  constexpr int Threads = 3;
  auto leave = [&](int wait) {
    for (++ready; ready < Threads;)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
    exit(4);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back(leave, 100 * i);
  for (std::thread &thread : threads)
    thread.join();
}
