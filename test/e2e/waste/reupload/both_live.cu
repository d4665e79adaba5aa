// Each request gives its two workers a copy of the same table, in new memory: two copies were
// needed, all others are sent again. In the twin the workers keep theirs.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload proven function=main line=@upload count=8
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1024, Requests = 5, Workers = 2;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.5f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

int main() {
  std::vector<float> table = noise(N);
  float *x[Workers], *d_table[Workers] = {};
  for (float *&one : x) {
    CHECK(cudaMalloc(&one, 4 * N));
    CHECK(cudaMemset(one, 0, 4 * N));
  }
  for (int request = 0; request < Requests; ++request) {
    for (int i = 0; i < Workers; ++i) {
#ifdef FIXED
      if (request == 0)
#endif
      {
        CHECK(cudaMalloc(&d_table[i], 4 * N));
        CHECK(cudaMemcpy(d_table[i], table.data(), 4 * N, cudaMemcpyHostToDevice)); // @upload
      }
      scale<<<N / 256, 256>>>(d_table[i], x[i]);
      CHECK(cudaGetLastError());
    }
#ifdef FIXED
    if (request == Requests - 1)
#endif
      for (float *one : d_table)
        CHECK(cudaFree(one));
  }
  CHECK(cudaDeviceSynchronize());
  for (float *one : x)
    CHECK(cudaFree(one));
  puts("done");
}
