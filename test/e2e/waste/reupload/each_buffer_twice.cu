// Fields of a time step are sent twice each, before each of two kernels that only read them. Each upload is quick; of the line
// they are several.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload proven line=@send count=4 bytes=1MiB
// EXPECT-REPORT: *fix: drop this transfer, or make it only where the host has changed them
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Fields = 4;

__host__ __device__ inline void addAt(unsigned i, const float *field, float *sum) { sum[i] += field[i]; }
__global__ void add(const float *field, float *sum) { addAt(globalThread(), field, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> sum(N);
  float *d_sum, *d_field[Fields];
  CHECK(cudaMalloc(&d_sum, N * 4));
  CHECK(cudaMemset(d_sum, 0, N * 4));
  for (int f = 0; f < Fields; ++f) {
    std::vector<float> field = noise(N, f + 1);
    CHECK(cudaMalloc(&d_field[f], N * 4));
    for (int pass = 0; pass < 2; ++pass) {
#ifdef FIXED
      field[pass] += 1;
#endif
      CHECK(cudaMemcpy(d_field[f], field.data(), N * 4, cudaMemcpyHostToDevice)); // @send
      add<<<N / 256, 256>>>(d_field[f], d_sum);
      CHECK(cudaGetLastError());
    }
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  for (float *field : d_field)
    CHECK(cudaFree(field));
  CHECK(cudaFree(d_sum));
}
