// Uploads and kernels that take turns, and the same work in two streams.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: gpu
// TWIN: FIXED
// OPTIONS: gpu_time=exact:audit=off:verbose=1
// EXPECT: serialised advice line=@upload count>=90
// EXPECT-NO[twin]: serialised
// EXPECT-REPORT[both]: GPU 0  *kernels*
// EXPECT-REPORT[both]: *idle *
// EXPECT-REPORT[both]: *copies beside kernels*
// EXPECT-REPORT[both]: LAUNCHES*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

constexpr size_t Bytes = 64 << 20;
#ifdef FIXED
constexpr int Streams = 2;
#else
constexpr int Streams = 1;
#endif

__global__ void work(char *data, long long cycles) {
  for (long long start = clock64(); clock64() - start < cycles;)
    ;
  *data += 1;
}

int main() {
  char *h_data, *d_data[2];
  cudaStream_t streams[2];
  CHECK(cudaMallocHost(&h_data, Bytes));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&d_data[i], Bytes));
    CHECK(cudaStreamCreate(&streams[i]));
  }
  for (int round = 0; round < 100; ++round) {
    h_data[0] = char(round);
    int i = round % Streams;
    CHECK(cudaMemcpyAsync(d_data[i], h_data, Bytes, cudaMemcpyHostToDevice, streams[i])); // @upload
    work<<<1, 1, 0, streams[i]>>>(d_data[i], 2000000);
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(d_data[i]));
  }
  CHECK(cudaFreeHost(h_data));
}
