// The halo of the last step goes nowhere, and the norm is cleared once more than it is read: the others of their lines are
// needed, so that is advice. Without steps between, every copy is dead.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy advice line=@halo count=1
// EXPECT: dead-copy advice line=@clear count=1
// EXPECT: dead-copy likely line=@twice count=19
// EXPECT-NO: dead-copy likely line=@halo
// EXPECT-NO: dead-copy likely line=@clear
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12, Steps = 20;

__host__ __device__ inline void stepAt(unsigned i, const float *from, float *to, float *norm) {
  to[i + 1] = from[i] * 0.5f + from[i + 2] * 0.25f;
  if (i == 0)
    *norm += to[1];
}
__global__ void step(const float *from, float *to, float *norm) { stepAt(globalThread(), from, to, norm); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> field = noise(N + 2);
  float *d_from, *d_to, *d_norm, norm = 0;
  CHECK(cudaMalloc(&d_from, (N + 2) * 4));
  CHECK(cudaMalloc(&d_to, (N + 2) * 4));
  CHECK(cudaMalloc(&d_norm, 4));
  CHECK(cudaMemset(d_norm, 0, 4));
  CHECK(cudaMemset(d_to, 0, 4));
  CHECK(cudaMemcpy(d_from, field.data(), (N + 2) * 4, cudaMemcpyHostToDevice));
  for (int i = 0; i < Steps; ++i) {
    step<<<N / 256, 256>>>(d_from, d_to, d_norm);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&norm, d_norm, 4, cudaMemcpyDeviceToHost));
    printf("%a\n", norm);
#ifdef FIXED
    if (i == Steps - 1)
      break;
#endif
    CHECK(cudaMemset(d_norm, i, 4));                                               // @clear
    CHECK(cudaMemcpy(d_to + N + 1, d_to + 1, 4, cudaMemcpyDeviceToDevice)); // @halo
    std::swap(d_from, d_to);
  }
#ifndef FIXED
  for (int i = 0; i < Steps; ++i)
    CHECK(cudaMemset(d_norm, i, 4)); // @twice
  CHECK(cudaMemcpy(&norm, d_norm, 4, cudaMemcpyDeviceToHost));
#endif
  CHECK(cudaFree(d_from));
  CHECK(cudaFree(d_to));
  CHECK(cudaFree(d_norm));
}
