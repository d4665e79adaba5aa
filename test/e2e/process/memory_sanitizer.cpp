// Under MemorySanitizer the program runs as if it were not instrumented: what code without it writes, the runtime's
// too, counts as uninitialised there, and ends the program.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: simulator
// FLAGS: -fsanitize=memory
// EXPECT-STDERR: gpuinstr: MemorySanitizer is in the program, which runs uninstrumented
// EXPECT-STDOUT: done
// EXPECT-PROFILES: 0
#include "../Inputs/check.h"

int main() {
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
  puts("done");
}
