// Each worker thread uploads its own weights before every request that it serves.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// TWIN: FIXED
// EXPECT: noop-copy function=serve line=@weights variable=d_weights count>=16
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <thread>

constexpr int N = 1 << 18, Requests = 8, Workers = 3;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

static void serve(uint32_t seed, uint32_t *result) {
  std::vector<float> weights = noise(N, seed), x = noise(N, seed + 50);
  float *d_weights, *d_x;
  CHECK(cudaMalloc(&d_weights, N * 4));
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int request = 0; request < Requests; ++request) {
#ifdef FIXED
    if (request == 0)
#endif
      CHECK(cudaMemcpy(d_weights, weights.data(), N * 4, cudaMemcpyHostToDevice)); // @weights
    scale<<<N / 256, 256>>>(d_weights, d_x);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  *result = checksum(x);
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_x));
}

int main() {
  uint32_t results[Workers];
  std::vector<std::thread> workers;
  for (uint32_t i = 0; i < Workers; ++i)
    workers.emplace_back(serve, i + 1, &results[i]);
  for (std::thread &worker : workers)
    worker.join();
  for (uint32_t result : results)
    printf("%08x\n", result);
}
