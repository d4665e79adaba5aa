// A logger synchronises a stream each time it prints, long after its work was waited for.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: needless-sync advice function=main line=@report via=@again via-function=report count=4
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 1.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

static void report(int round, const float *x, cudaStream_t stream) {
#ifndef FIXED
  CHECK(cudaStreamSynchronize(stream)); // @again
#endif
  (void)stream;
  printf("%d: %08x\n", round, checksum(x, 4 * N));
}

int main() {
  float *x, *d_x;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&x, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemsetAsync(d_x, 0, 4 * N, stream));
  for (int round = 0; round < 4; ++round) {
    step<<<N / 256, 256, 0, stream>>>(d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(x, d_x, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream)); // @first
    report(round, x, stream); // @report
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(x));
}
