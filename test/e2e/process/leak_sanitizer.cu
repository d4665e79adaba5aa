// A program that is checked by LeakSanitizer: what the runtime loses would be the program's leak, and change its exit
// code. It gives up the library that tells the power, as none can be read here, and what it had in a context that a
// reset takes; so does the simulated device with what it keeps for threads that ended.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: simulator
// FLAGS: -fsanitize=address -pthread
// ENV: ASAN_OPTIONS=detect_leaks=1:handle_segv=0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-STDOUT: done
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <thread>
#include <unistd.h>

__global__ void add(float *y, const float *x) { y[threadIdx.x] += x[threadIdx.x]; }

static void work() {
  float host[256] = {}, *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, sizeof host));
  CHECK(cudaMalloc(&d_y, sizeof host));
  CHECK(cudaMemset(d_y, 0, sizeof host));
  for (int i = 0; i < 4; ++i) {
    host[i] = float(i);
    CHECK(cudaMemcpy(d_x, host, sizeof host, cudaMemcpyHostToDevice));
    add<<<1, 256>>>(d_y, d_x);
  }
  CHECK(cudaMemcpy(host, d_y, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}

int main() {
  std::thread(work).join();
  CHECK(cudaDeviceReset());
  usleep(300000); // the threads of the runtime have begun
  puts("done");
}
