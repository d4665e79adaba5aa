// Two particle lists take turns in one buffer; the second is the first with two blocks swapped.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <algorithm>

constexpr int N = 1 << 20;

__host__ __device__ inline void firstAt(unsigned i, const float *x, float *out) {
  out[i] += x[i * 4096];
}
__global__ void firsts(const float *x, float *out) { firstAt(globalThread(), x, out); }
SIMULATED(firsts, firstAt)

int main() {
  std::vector<float> lists[2] = {noise(N), noise(N)}, out(256);
  std::swap_ranges(&lists[1][8192], &lists[1][8192 + 4096], &lists[1][524288]);
  float *d_x, *d_out;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_out, 1024));
  CHECK(cudaMemset(d_out, 0, 1024));
  for (int step = 0; step < 10; ++step) {
    CHECK(cudaMemcpy(d_x, lists[step % 2].data(), 4 * N, cudaMemcpyHostToDevice));
    firsts<<<1, 256>>>(d_x, d_out);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_out, 1024, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_out));
}
