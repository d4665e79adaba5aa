// A solver takes scratch memory for a preconditioner that it does not have any more.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full:verbose=1
// EXPECT: unused-allocation likely function=Solver::Solver line=@scratch caller-variable=solver count=1 bytes=16MiB
// EXPECT-NO-REPORT: *to start CUDA early*
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void relaxAt(unsigned i, const float *b, float *x) {
  x[i] += 0.5f * (b[i] - x[i]);
}
__global__ void relax(const float *b, float *x) { relaxAt(globalThread(), b, x); }
SIMULATED(relax, relaxAt)

struct Solver {
  Solver() {
    CHECK(cudaMalloc(&this->d_x, 4 * N));
    CHECK(cudaMalloc(&this->d_b, 4 * N));
#ifndef FIXED
    CHECK(cudaMalloc(&this->d_scratch, 16 << 20)); // @scratch
#endif
  }
  ~Solver() {
    CHECK(cudaFree(this->d_x));
    CHECK(cudaFree(this->d_b));
    CHECK(cudaFree(this->d_scratch));
  }
  std::vector<float> solve(const std::vector<float> &b) {
    std::vector<float> x(N);
    CHECK(cudaMemset(this->d_x, 0, 4 * N));
    CHECK(cudaMemcpy(this->d_b, b.data(), 4 * N, cudaMemcpyHostToDevice));
    for (int i = 0; i < 12; ++i)
      relax<<<N / 256, 256>>>(this->d_b, this->d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x.data(), this->d_x, 4 * N, cudaMemcpyDeviceToHost));
    return x;
  }
  float *d_x = nullptr, *d_b = nullptr, *d_scratch = nullptr;
};

int main() {
  Solver solver;
  printf("%08x\n", checksum(solver.solve(noise(N))));
}
