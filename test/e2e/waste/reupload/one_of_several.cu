// One line fills six buffers with different bytes, and one of them a second time with the same: one upload is needless, not
// as many as the line makes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload proven line=@send count=1 bytes=256KiB
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Fields = 6;

__host__ __device__ inline void addAt(unsigned i, const float *field, float *sum) { sum[i] += field[i]; }
__global__ void add(const float *field, float *sum) { addAt(globalThread(), field, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> sum(N);
  float *d_sum, *d_field[Fields];
  CHECK(cudaMalloc(&d_sum, N * 4));
  CHECK(cudaMemset(d_sum, 0, N * 4));
  for (float *&field : d_field)
    CHECK(cudaMalloc(&field, N * 4));
  for (int f = 0; f <= Fields; ++f) {
    int which = f < Fields ? f : 2;
#ifdef FIXED
    which = f % Fields;
    std::vector<float> field = noise(N, f + 1);
#else
    std::vector<float> field = noise(N, which + 1);
#endif
    CHECK(cudaMemcpy(d_field[which], field.data(), N * 4, cudaMemcpyHostToDevice)); // @send
    add<<<N / 256, 256>>>(d_field[which], d_sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  for (float *field : d_field)
    CHECK(cudaFree(field));
  CHECK(cudaFree(d_sum));
}
