// A harness times a kernel, and empties the device's cache before each run, by setting memory of that
// size that nothing else uses. Smaller memory is set for nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=timeScale line=@set variable=d_flush count=7
// EXPECT: noop-copy proven function=timeScale line=@set variable=d_flush count=7
// EXPECT: noop-copy proven function=main line=@kept variable=d_kept count=7
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void scaleAt(unsigned i, float *values) { values[i] *= 1.5f; }
__global__ void scale(float *values) { scaleAt(globalThread(), values); }
SIMULATED(scale, scaleAt)

static float timeScale(float *d_values, size_t bytes) {
  float sum = 0, one = 0;
  char *d_flush;
  cudaEvent_t begin, end;
  CHECK(cudaMalloc(&d_flush, bytes));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 8; ++i) {
    CHECK(cudaMemset(d_flush, 0, bytes)); // @set
    CHECK(cudaEventRecord(begin));
    scale<<<N / 256, 256>>>(d_values);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&one, begin, end));
    sum += one;
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(d_flush));
  return sum;
}

int main() {
  int bytes = 0;
  CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
#ifndef FIXED
  bytes /= 2;
#endif
  std::vector<float> values = noise(N);
  float *d_values;
  char *d_kept;
  CHECK(cudaMalloc(&d_values, N * sizeof(float)));
  CHECK(cudaMalloc(&d_kept, bytes));
  CHECK(cudaMemcpy(d_values, values.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  bool isTimed = timeScale(d_values, bytes) + timeScale(d_values, bytes) >= 0;
  for (int i = 0; i < 8; ++i) {
    CHECK(cudaMemset(d_kept, 0, bytes)); // @kept
    scale<<<N / 256, 256>>>(d_values);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(values.data(), d_values, N * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%d %08x\n", isTimed, checksum(values));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_kept));
}
