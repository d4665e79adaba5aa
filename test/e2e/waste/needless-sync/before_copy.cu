// The device is synchronised directly before copies that come behind its work in any case: in the
// same function, at the end of one that the copy's function calls, and within two of them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: needless-sync advice function=main line=@sync count=4 related=@download
// EXPECT: needless-sync advice function=Solver::step line=@step count=5 related=@back
// EXPECT: needless-sync advice function=waitForDevice line=@wait caller=@waits count=3 related=@set
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <stdexcept>
#include <string>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

static void waitForDevice() {
#ifndef FIXED
  cudaError_t error = cudaDeviceSynchronize(); // @wait
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("lost: ") + cudaGetErrorString(error));
#endif
}

struct Solver {
  float *d_x;
  std::vector<float> x = noise(N);
  Solver() {
    CHECK(cudaMalloc(&d_x, 4 * N));
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  }
  ~Solver() { CHECK(cudaFree(d_x)); }
  void step(float by) {
    ::step<<<N / 256, 256>>>(d_x, by);
    CHECK(cudaGetLastError());
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @step
#endif
  }
  void result() { CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost)); }
};

int main() {
  Solver solver;
  for (int i = 0; i < 4; ++i) {
    step<<<N / 256, 256>>>(solver.d_x, 0.5f);
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @sync
#endif
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(solver.x.data(), solver.d_x, 4 * N, cudaMemcpyDeviceToHost)); // @download
    printf("%08x\n", checksum(solver.x));
  }
  for (int i = 0; i < 5; ++i) {
    solver.step(1.5f);
    solver.result(); // @back
    printf("%08x\n", checksum(solver.x));
  }
  for (int i = 0; i < 3; ++i) {
    step<<<N / 256, 256>>>(solver.d_x, 0.25f);
    CHECK(cudaGetLastError());
    waitForDevice(); // @waits
    CHECK(cudaMemset(solver.d_x, i, 4 * N)); // @set
    step<<<N / 256, 256>>>(solver.d_x, 0.75f);
    solver.result();
    printf("%08x\n", checksum(solver.x));
  }
}
