// What was uploaded comes back at once, as in a program that measures the bus: the upload's line is named.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip proven line=@back related=@there count=1 bytes=4MiB
// EXPECT-REPORT: *fix: drop this transfer: the host has the bytes that it sent at*
// EXPECT-REPORT: *no_kernel.cu:{@there}
// EXPECT-NO[twin]: *
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void invertAt(unsigned i, float *data) { data[i] = 1 - data[i]; }
__global__ void invert(float *data) { invertAt(globalThread(), data); }
SIMULATED(invert, invertAt)

int main() {
  std::vector<float> data = noise(N, 3);
  float *d_data;
  CHECK(cudaMalloc(&d_data, N * 4));
  CHECK(cudaMemcpy(d_data, data.data(), N * 4, cudaMemcpyHostToDevice)); // @there
#ifdef FIXED
  invert<<<N / 256, 256>>>(d_data);
  CHECK(cudaGetLastError());
#endif
  CHECK(cudaMemcpy(data.data(), d_data, N * 4, cudaMemcpyDeviceToHost)); // @back
  CHECK(cudaFree(d_data));
  printf("%08x\n", checksum(data));
}
