// Two halves of the work go side by side; each stream gets its table before every step.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@table variable=d_table* count>=16
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <string.h>

constexpr auto Up = cudaMemcpyHostToDevice;
constexpr int N = 1 << 18, Steps = 12, Halves = 2;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

int main() {
  float *table[Halves], *d_table[Halves], *d_x[Halves];
  cudaStream_t stream[Halves];
  std::vector<float> x = noise(N, 2);
  for (int half = 0; half < Halves; ++half) {
    CHECK(cudaMallocHost(&table[half], N * 4));
    memcpy(table[half], noise(N, half + 7).data(), N * 4);
    CHECK(cudaMalloc(&d_table[half], N * 4));
    CHECK(cudaMalloc(&d_x[half], N * 4));
    CHECK(cudaStreamCreateWithFlags(&stream[half], cudaStreamNonBlocking));
    CHECK(cudaMemcpy(d_x[half], x.data(), N * 4, cudaMemcpyHostToDevice));
  }
  for (int step = 0; step < Steps; ++step)
    for (int half = 0; half < Halves; ++half) {
#ifdef FIXED
      if (step == 0)
#endif
        CHECK(cudaMemcpyAsync(d_table[half], table[half], N * 4, Up, stream[half])); // @table
      scale<<<N / 256, 256, 0, stream[half]>>>(d_table[half], d_x[half]);
      CHECK(cudaGetLastError());
    }
  for (int half = 0; half < Halves; ++half) {
    CHECK(cudaStreamSynchronize(stream[half]));
    CHECK(cudaMemcpy(x.data(), d_x[half], N * 4, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(x));
    CHECK(cudaStreamDestroy(stream[half]));
    CHECK(cudaFree(d_table[half]));
    CHECK(cudaFree(d_x[half]));
    CHECK(cudaFreeHost(table[half]));
  }
}
