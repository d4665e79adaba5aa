// Addresses come as numbers with a tag in the bits above them, which the kernel takes off: nobody
// sees where they lead.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: unused-allocation variable=d_work
// EXPECT-NO: dead-copy
// EXPECT: unused-allocation likely variable=d_spare line=@spare count=1
// EXPECT: noop-copy likely line=@flags
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 14;
constexpr size_t Bytes = N * sizeof(float);

__global__ void compute(uint64_t in, uint64_t work, uint64_t flags, float *out, bool raises) {
  constexpr uint64_t Address = (uint64_t(1) << 48) - 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *own = reinterpret_cast<float *>(work & Address);
  own[i] = 2 * reinterpret_cast<const float *>(in & Address)[i];
  if (raises)
    reinterpret_cast<int *>(flags & Address)[i] = i;
  out[i] = own[i] + reinterpret_cast<int *>(flags & Address)[i];
}

template <class T> uint64_t tagged(T *address) {
  return reinterpret_cast<uint64_t>(address) | uint64_t(0xa5) << 56;
}

int main() {
  float *d_in, *d_work, *d_out, *d_spare;
  int *d_flags;
  std::vector<float> out(N);
  const std::vector<int> flags(N, 1);
  unsigned sum = 0;
  CHECK(cudaMalloc(&d_spare, Bytes)); // @spare
  CHECK(cudaFree(d_spare));
  CHECK(cudaMalloc(&d_in, Bytes));
  CHECK(cudaMalloc(&d_work, Bytes));
  CHECK(cudaMalloc(&d_flags, Bytes));
  CHECK(cudaMalloc(&d_out, Bytes));
  for (int round = 0; round < 40; ++round) {
    const std::vector<float> in = noise(N, round);
    CHECK(cudaMemcpy(d_in, in.data(), Bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_flags, flags.data(), Bytes, cudaMemcpyHostToDevice)); // @flags
    compute<<<N / 256, 256>>>(tagged(d_in), tagged(d_work), tagged(d_flags), d_out, false);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, Bytes, cudaMemcpyDeviceToHost));
    sum += checksum(out);
  }
  printf("%08x\n", sum);
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_work));
  CHECK(cudaFree(d_flags));
  CHECK(cudaFree(d_out));
}
