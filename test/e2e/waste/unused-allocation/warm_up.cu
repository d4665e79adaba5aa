// The first memory of the process is there to start CUDA, and for nothing else.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: unused-allocation likely function=warmUp line=@warm variable=unused count=1 bytes=4
// EXPECT-REPORT: *drop the allocation; to start CUDA early, cudaFree(nullptr) will do*
// EXPECT-ALL
// EXPECT-CLEAN[twin]
#include "../../Inputs/check.h"
#include "../../Inputs/kernel.h"

__host__ __device__ inline void stepAt(unsigned i, float *out) { out[i] = float(i); }
__global__ void step(float *out) { stepAt(globalThread(), out); }
SIMULATED(step, stepAt)

static void warmUp() {
#ifdef FIXED
  CHECK(cudaFree(nullptr));
#else
  int *unused;
  CHECK(cudaMalloc(&unused, sizeof(int))); // @warm
  CHECK(cudaFree(unused));
#endif
}

int main() {
  warmUp();
  float *d_out;
  float last = 0;
  CHECK(cudaMalloc(&d_out, 256 * sizeof(float)));
  step<<<1, 256>>>(d_out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&last, d_out + 255, sizeof last, cudaMemcpyDeviceToHost));
  printf("%g\n", last);
  CHECK(cudaFree(d_out));
}
