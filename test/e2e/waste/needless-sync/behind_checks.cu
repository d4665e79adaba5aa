// The device is synchronised between launches into one stream: at the end of a function that is
// called round by round, with a clock before and behind the loop alone; and each result goes to a
// function elsewhere, which checks it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH-PLAIN: Inputs/checks.cpp
// TWIN: FIXED
// EXPECT: needless-sync advice function=Solver::step line=@step count>=7
// EXPECT: needless-sync advice function=sweep line=@sweep count>=5
// EXPECT: needless-sync advice function=sweep line=@fine count>=5
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <chrono>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

extern "C" void checkStatus(cudaError_t error, const char *file, int line);
bool isFine(cudaError_t error);
#define CHECKED(call) checkStatus(call, __FILE__, __LINE__)

struct Solver {
  float *d_x;
  void step(float by) {
    ::step<<<N / 256, 256>>>(d_x, by);
    CHECKED(cudaGetLastError());
#ifndef FIXED
    CHECKED(cudaDeviceSynchronize()); // @step
#endif
  }
};

static void sweep(float *d_x) {
  for (int i = 0; i < 6; ++i) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
#ifndef FIXED
    CHECKED(cudaDeviceSynchronize()); // @sweep
#endif
    step<<<N / 256, 256>>>(d_x, 1.5f);
#ifndef FIXED
    cudaError_t error = cudaDeviceSynchronize(); // @fine
    if (!isFine(error))
      return;
#endif
    step<<<N / 256, 256>>>(d_x, 0.75f);
  }
}

int main() {
  std::vector<float> x = noise(N);
  Solver solver;
  CHECK(cudaMalloc(&solver.d_x, 4 * N));
  CHECK(cudaMemcpy(solver.d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i)
    solver.step(0.5f + float(i) / 16);
  auto end = std::chrono::steady_clock::now();
  sweep(solver.d_x);
  CHECK(cudaMemcpy(x.data(), solver.d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%d %08x\n", end >= start, checksum(x));
  CHECK(cudaFree(solver.d_x));
}
