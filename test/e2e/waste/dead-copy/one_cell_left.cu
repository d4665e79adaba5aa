// A kernel overwrites all that is uploaded but for one cell, which is another one each time. Of so many elements,
// few are compared: the message says so, and the upload goes only if nothing is left. Small ones are compared whole.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT[carried]: dead-copy likely line=@field message=*96*elements*compared* fix=drop*it*if*the*kernel*writes*all*of*it
// EXPECT[carried]: dead-copy likely line=@small fix=drop*it:*the*kernel*writes*all*of*it
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Few = 64;

__host__ __device__ inline void relaxAt(unsigned i, float *field, const float *from, unsigned source) {
  if (i != source)
    field[i] = from[i] * 0.5f;
}
__global__ void relax(float *field, const float *from, unsigned source) {
  relaxAt(globalThread(), field, from, source);
}
SIMULATED(relax, relaxAt)

int main() {
  std::vector<float> field(N), back(N), small(Few), smallBack(Few);
  float *d_field, *d_from, *d_small;
  CHECK(cudaMalloc(&d_field, 4 * N));
  CHECK(cudaMalloc(&d_from, 4 * N));
  CHECK(cudaMalloc(&d_small, 4 * Few));
  for (int i = 0; i < N; ++i)
    field[i] = float(i + 1);
  CHECK(cudaMemcpy(d_from, field.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int round = 0; round < 6; ++round) {
    const unsigned source = 12345 + unsigned(round) * 977;
    field[source] = float(round);
    for (int i = 0; i < Few; ++i)
      small[i] = float(1000 + round + i);
    CHECK(cudaMemcpy(d_field, field.data(), 4 * N, cudaMemcpyHostToDevice));   // @field
    CHECK(cudaMemcpy(d_small, small.data(), 4 * Few, cudaMemcpyHostToDevice)); // @small
    relax<<<N / 256, 256>>>(d_field, d_from, source);
    relax<<<1, Few>>>(d_small, d_from, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back.data(), d_field, 4 * N, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(smallBack.data(), d_small, 4 * Few, cudaMemcpyDeviceToHost));
    printf("%g %08x %08x\n", back[source], checksum(back), checksum(smallBack));
  }
  CHECK(cudaFree(d_field));
  CHECK(cudaFree(d_from));
  CHECK(cudaFree(d_small));
}
