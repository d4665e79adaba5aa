// Tables go up into new memory in each request: one that the kernel reads, and one that it takes
// but reads from constant memory now. The second can go altogether.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload proven function=request line=@read variable=d_scales count=4
// EXPECT: reupload proven function=request line=@unread variable=d_means count=4
// EXPECT-REPORT[!twin]: fix: allocate once and keep the buffer*
// EXPECT-REPORT[!twin]: fix: drop it: no kernel that ran reads what it writes*
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void scaleAt(unsigned i, const float *scales, const float *means,
                                        float *x) {
  x[i] = x[i] * scales[i] + 0.5f;
}
__global__ void scale(const float *scales, const float *means, float *x) {
  scaleAt(globalThread(), scales, means, x);
}
SIMULATED(scale, scaleAt)

static void request(const std::vector<float> &scales, const std::vector<float> &means, float *d_x) {
#ifdef FIXED
  static float *d_scales = nullptr;
  if (!d_scales) {
    CHECK(cudaMalloc(&d_scales, N * 4));
    CHECK(cudaMemcpy(d_scales, scales.data(), N * 4, cudaMemcpyHostToDevice));
  }
  scale<<<N / 256, 256>>>(d_scales, nullptr, d_x);
  CHECK(cudaGetLastError());
#else
  float *d_scales, *d_means;
  CHECK(cudaMalloc(&d_scales, N * 4));                                       // @scales
  CHECK(cudaMalloc(&d_means, N * 4));                                        // @means
  CHECK(cudaMemcpy(d_scales, scales.data(), N * 4, cudaMemcpyHostToDevice)); // @read
  CHECK(cudaMemcpy(d_means, means.data(), N * 4, cudaMemcpyHostToDevice));   // @unread
  scale<<<N / 256, 256>>>(d_scales, d_means, d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_scales));
  CHECK(cudaFree(d_means));
#endif
}

int main() {
  std::vector<float> scales = noise(N, 3), means = noise(N, 4), x = noise(N, 5);
  float *d_x;
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int i = 0; i < 5; ++i)
    request(scales, means, d_x);
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
