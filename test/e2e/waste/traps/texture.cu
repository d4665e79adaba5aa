// The range behind a texture object is read by kernels that get no address of it; what may happen
// through such an object is not known.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: gpu
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 16;

__global__ void sample(cudaTextureObject_t texture, float *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += tex1Dfetch<float>(texture, int(i));
}

int main() {
  std::vector<float> values = noise(N), out(N);
  float *d_values, *d_out;
  CHECK(cudaMalloc(&d_values, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_values;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 4 * N;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_values, values.data(), 4 * N, cudaMemcpyHostToDevice));
    sample<<<N / 256, 256>>>(texture, d_out);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_out));
}
