// A part of what was uploaded comes back unchanged, in each round; in the twin the kernel writes it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip proven line=@back related=@there count=1 bytes=1MiB
// EXPECT-NO[twin]: roundtrip
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20, Part = N / 4;

__host__ __device__ inline void sumAt(unsigned i, const float *data, float *sum) {
  sum[i] = data[i] + data[N - 1 - i];
}
__global__ void add(const float *data, float *sum) { sumAt(globalThread(), data, sum); }
SIMULATED(add, sumAt)

int main() {
  std::vector<float> data = noise(N, 3), sum(Part);
  float *d_data, *d_sum;
  CHECK(cudaMalloc(&d_data, N * 4));
  CHECK(cudaMalloc(&d_sum, Part * 4));
  CHECK(cudaMemcpy(d_data, data.data(), N * 4, cudaMemcpyHostToDevice)); // @there
#ifdef FIXED
  add<<<Part / 256, 256>>>(d_data, d_data + Part);
#endif
  add<<<Part / 256, 256>>>(d_data, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), d_sum, Part * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(data.data() + Part, d_data + Part, Part * 4, cudaMemcpyDeviceToHost)); // @back
  CHECK(cudaFree(d_sum));
  CHECK(cudaFree(d_data));
  printf("%08x %08x\n", checksum(data), checksum(sum));
}
