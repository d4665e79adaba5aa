// Trap: allocated, uploaded and freed in each frame, but every frame's bytes are new: one differs.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void addAt(unsigned i, const float *frame, float *sum) {
  sum[i] += frame[i];
}
__global__ void add(const float *frame, float *sum) { addAt(globalThread(), frame, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> frame = noise(N), sum(N);
  float *d_sum;
  CHECK(cudaMalloc(&d_sum, N * 4));
  CHECK(cudaMemset(d_sum, 0, N * 4));
  for (int i = 0; i < 8; ++i) {
    float *d_frame;
    reinterpret_cast<unsigned char *>(frame.data())[700001] ^= 1 << i;
    CHECK(cudaMalloc(&d_frame, N * 4));
    CHECK(cudaMemcpy(d_frame, frame.data(), N * 4, cudaMemcpyHostToDevice));
    add<<<N / 256, 256>>>(d_frame, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d_frame));
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_sum));
}
