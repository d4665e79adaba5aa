// Two fields in turn in one buffer that a kernel works on in place: the host restores each of them, over and over. And a
// flag of two values.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: reupload
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void smoothAt(unsigned i, float *x, float factor, const int *isOdd) {
  x[i] = x[i] * factor + float(*isOdd);
}
__global__ void smooth(float *x, float factor, const int *isOdd) { smoothAt(globalThread(), x, factor, isOdd); }
SIMULATED(smooth, smoothAt)

int main() {
  std::vector<float> field[2] = {noise(N, 1), noise(N, 2)}, result(N);
  float *d_x;
  int *d_isOdd;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_isOdd, 4));
  for (int run = 0; run < 12; ++run) {
    int isOdd = run % 2;
    CHECK(cudaMemcpy(d_isOdd, &isOdd, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, field[run % 2].data(), 4 * N, cudaMemcpyHostToDevice));
    smooth<<<N / 256, 256>>>(d_x, 1 + 0.5f * float(run + 1), d_isOdd);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(result));
  }
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_isOdd));
}
