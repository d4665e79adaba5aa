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
#include "../Inputs/check.h"

#include <thread>
#include <vector>

static void work() {
  float host[256] = {};
  void *d_x = nullptr, *d_y = nullptr;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_x, sizeof host));
  CHECK(cudaMalloc(&d_y, sizeof host));
  for (int i = 0; i < 4; ++i) {
    host[i] = float(i);
    CHECK(cudaMemcpyAsync(d_x, host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_y, d_x, sizeof host, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  puts("done");
}
