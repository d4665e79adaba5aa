// All allocations come after an event was recorded and a kernel launched, none after.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@centers variable=d_centers count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

constexpr int N = 1 << 18, Steps = 12;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

inline void warmUpAt(unsigned) {}
__global__ void warmUp() {}
SIMULATED(warmUp, warmUpAt)

int main() {
  std::vector<float> centers = noise(N), x = noise(N, 2);
  float *d_centers, *d_x;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  warmUp<<<1, 32>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(begin));
  CHECK(cudaMalloc(&d_centers, N * 4));
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int step = 0; step < Steps; ++step) {
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpy(d_centers, centers.data(), N * 4, cudaMemcpyHostToDevice)); // @centers
    scale<<<N / 256, 256>>>(d_centers, d_x);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(d_centers));
  CHECK(cudaFree(d_x));
}
