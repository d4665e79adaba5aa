// Trap: addresses that sets bring into a variable, one half at a time. No call names the memory.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -lcuda
// EXPECT-NO: unused-allocation
// EXPECT-NO: dead-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda.h>
#include <cuda_runtime.h>

constexpr int N = 1 << 12;

__device__ float *work;

__global__ void smooth(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  work[i] = 2 * in[i];
  out[i] += work[i];
}

static void store(CUdeviceptr at, unsigned half) {
  if (cuMemsetD32(at, half, 1))
    exit(1);
}

int main() {
  float *d_in, *d_work, *d_out;
  void *variable;
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_work, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  CHECK(cudaGetSymbolAddress(&variable, work));
  const uint64_t address = reinterpret_cast<uint64_t>(d_work);
  store(CUdeviceptr(variable), unsigned(address));
  store(CUdeviceptr(variable) + 4, unsigned(address >> 32));
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> in = noise(N, round);
    CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice));
    smooth<<<N / 256, 256>>>(d_in, d_out);
    CHECK(cudaGetLastError());
  }
  std::vector<float> out(N);
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  for (void *p : {(void *)d_in, (void *)d_work, (void *)d_out})
    CHECK(cudaFree(p));
}
