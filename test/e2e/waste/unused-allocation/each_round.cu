// Memory that nobody uses is made in each round: that it could be kept is no advice beside that.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: unused-allocation likely function=smoothed line=@work variable=d_work count=8 bytes=2MiB
// EXPECT: alloc-churn advice function=kept line=@kept variable=d_kept count=8
// EXPECT-ALL
// EXPECT-NO[twin]: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void smoothAt(unsigned i, float *x, float *work) { x[i] *= 0.5f; }
__global__ void smooth(float *x, float *work) { smoothAt(globalThread(), x, work); }
SIMULATED(smooth, smoothAt)

static void smoothed(float *d_x) {
  float *d_work = nullptr;
#ifndef FIXED
  CHECK(cudaMalloc(&d_work, 4 * N)); // @work
#endif
  smooth<<<N / 256, 256>>>(d_x, d_work);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_work));
}

/// The same of memory that is used.
static void kept(float *d_x) {
  float *d_kept;
  CHECK(cudaMalloc(&d_kept, 4 * N)); // @kept
  smooth<<<N / 256, 256>>>(d_kept, d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_kept));
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 8; ++i)
    smoothed(d_x);
  for (int i = 0; i < 8; ++i)
    kept(d_x);
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
