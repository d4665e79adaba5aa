// Under ThreadSanitizer the program runs as if it were not instrumented: it sees none of the orders between threads in
// code without it, the runtime too, takes what that gives to the C library for races, and changes the exit code.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: simulator
// FLAGS: -fsanitize=thread -pthread
// EXPECT-STDERR: gpuinstr: ThreadSanitizer is in the program, which runs uninstrumented
// EXPECT-STDOUT: done
// EXPECT-PROFILES: 0
// The simulated device has no ThreadSanitizer either.
// ENV: TSAN_OPTIONS=report_bugs=0
#include "Inputs/work.h"

#include <thread>
#include <vector>

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  puts("done");
}
