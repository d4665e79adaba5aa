// A buffer is cleared in each round, and a kernel writes all of it before anybody reads. Beside it one of which the kernel
// writes a part, and one that it adds to: these must be cleared.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy likely function=main line=@clear variable=d_layer related=@fill count>=14
// EXPECT: dead-copy likely function=inStream line=@async variable=d_layer related=@again count>=10
// EXPECT: dead-copy likely function=onlyDownloaded line=@unread variable=d_result related=@last count>=14
// EXPECT-NO: dead-copy variable=d_part
// EXPECT-NO: dead-copy variable=d_sums
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Rounds = 16;

__host__ __device__ inline void fillAt(unsigned i, const float *x, float *layer) { layer[i] = 3 * x[i] + 1; }
__global__ void fill(const float *x, float *layer) { fillAt(globalThread(), x, layer); }
SIMULATED(fill, fillAt)

__host__ __device__ inline void fillPartAt(unsigned i, const float *x, float *part) {
  if (i % 2 != 0)
    part[i] = x[i] + 2;
}
__global__ void fillPart(const float *x, float *part) { fillPartAt(globalThread(), x, part); }
SIMULATED(fillPart, fillPartAt)

__host__ __device__ inline void useAt(unsigned i, const float *layer, const float *part, float *sums, float *x) {
  sums[i] += layer[N - 1 - i] + part[i];
  x[i] = 0.25f * sums[i] + 1;
}
__global__ void use(const float *layer, const float *part, float *sums, float *x) {
  useAt(globalThread(), layer, part, sums, x);
}
SIMULATED(use, useAt)

/// The same in a stream, where copies bring the input and save the result.
static void inStream(std::vector<float> &x) {
  float *d_x, *d_layer, *d_saved;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_layer, 4 * N));
  CHECK(cudaMalloc(&d_saved, 4 * N));
  for (int round = 0; round < Rounds; ++round) {
    x[0] = round + 0.5f;
    CHECK(cudaMemcpyAsync(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice, stream));
#ifndef FIXED
    CHECK(cudaMemsetAsync(d_layer, 0, 4 * N, stream)); // @async
#endif
    fill<<<N / 256, 256, 0, stream>>>(d_x, d_layer); // @again
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(d_saved, d_layer, 4 * N, cudaMemcpyDeviceToDevice, stream));
    fillPart<<<N / 256, 256, 0, stream>>>(d_layer, d_x);
    fillPart<<<N / 256, 256, 0, stream>>>(d_saved, d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(x.data(), d_saved, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_saved));
  CHECK(cudaFree(d_layer));
  CHECK(cudaFree(d_x));
  CHECK(cudaStreamDestroy(stream));
}

/// No kernel reads it: an asynchronous download alone does.
static void onlyDownloaded(std::vector<float> &x) {
  float *d_x, *d_result, *result;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_result, 4 * N));
  CHECK(cudaMallocHost(&result, 4 * N));
  for (int round = 0; round < Rounds; ++round) {
    x[0] = round + 0.25f;
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
#ifndef FIXED
    CHECK(cudaMemset(d_result, 0, 4 * N)); // @unread
#endif
    fill<<<N / 256, 256>>>(d_x, d_result); // @last
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, d_result, 4 * N, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    x[1] = 0.5f * result[0];
  }
  CHECK(cudaFreeHost(result));
  CHECK(cudaFree(d_result));
  CHECK(cudaFree(d_x));
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_layer, *d_part, *d_sums, first = 0;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_layer, 4 * N));
  CHECK(cudaMalloc(&d_part, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int round = 0; round < Rounds; ++round) {
#ifndef FIXED
    CHECK(cudaMemset(d_layer, 0, 4 * N)); // @clear
#endif
    CHECK(cudaMemset(d_part, 0, 4 * N));
    CHECK(cudaMemset(d_sums, 0, 4 * N));
    fill<<<N / 256, 256>>>(d_x, d_layer); // @fill
    fillPart<<<N / 256, 256>>>(d_x, d_part);
    use<<<N / 256, 256>>>(d_layer, d_part, d_sums, d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&first, d_x, 4, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  inStream(x);
  onlyDownloaded(x);
  printf("%.3f %08x\n", first, checksum(x));
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_part));
  CHECK(cudaFree(d_layer));
  CHECK(cudaFree(d_x));
}
