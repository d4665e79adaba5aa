// With callers=2, a wait that comes last in a function that is called last in another one, before a launch in a third.
// Silent where a clock is read in the outermost one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// PLUGIN: -fplugin-arg-gpuinstr-callers=2
// TWIN: FIXED
// EXPECT: needless-sync advice function=relax line=@wait count=10
// EXPECT-NO: needless-sync line=@timed
// EXPECT-NO[twin]: needless-sync line=@wait
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <cuda_runtime.h>
#include <time.h>

constexpr int N = 1 << 12;

__host__ __device__ inline void addAt(unsigned i, float *x) { x[i] += 1; }
__global__ void add(float *x) { addAt(globalThread(), x); }
SIMULATED(add, addAt)

#define OWN __attribute__((noinline)) static

OWN void relax(float *x) {
  add<<<N / 256, 256>>>(x);
#ifndef FIXED
  CHECK(cudaDeviceSynchronize()); // @wait
#endif
}
OWN void sweep(float *x) { relax(x); }
OWN void project(float *x) { add<<<N / 256, 256>>>(x); }

OWN void relaxTimed(float *x) {
  add<<<N / 256, 256>>>(x);
  CHECK(cudaDeviceSynchronize()); // @timed
}
OWN void sweepTimed(float *x) { relaxTimed(x); }

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  clock_t taken = 0;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 10; ++i) {
    sweep(d_x);
    project(d_x);
  }
  for (int i = 0; i < 10; ++i) {
    sweepTimed(d_x);
    taken += clock();
    project(d_x);
  }
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%d\n", taken < 0);
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
