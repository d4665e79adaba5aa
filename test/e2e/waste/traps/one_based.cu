// Arrays whose first element has the number 1, as in programs that were Fortran: kernels get a
// pointer before the allocation, or into the last bytes of another one, and read and write it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void addAt(unsigned i, float *y, const float *x) {
  if (i < N)
    y[i + 1] += 2 * x[i + 1];
}
__global__ void add(float *y, const float *x) { addAt(globalThread(), y, x); }
SIMULATED(add, addAt)

__host__ __device__ inline void checkAt(unsigned i, int *flag, const float *x) {
  if (i < N && x[i + 1] < 0)
    flag[1] = 1;
}
__global__ void check(int *flag, const float *x) { checkAt(globalThread(), flag, x); }
SIMULATED(check, checkAt)

int main() {
  std::vector<float> in(N), out(N);
  float *x, *y, *sum;
  int *flag, errors = 0;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&y, 4 * N));
  CHECK(cudaMalloc(&sum, 4 * N));
  CHECK(cudaMalloc(&flag, 4096));
  for (int round = 0; round < 12; ++round) {
    in = noise(N, unsigned(round));
    CHECK(cudaMemcpy(x, in.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flag, 0, 4096));
    CHECK(cudaMemset(y, 0, 4 * N));
    add<<<N / 256, 256>>>(y - 1, x - 1);
    CHECK(cudaMemset(sum, 0, 4 * N));
    add<<<N / 256, 256>>>(sum - 1, y - 1);
    check<<<N / 256, 256>>>(flag - 1, sum - 1);
    int error = 0;
    CHECK(cudaMemcpy(&error, flag, 4, cudaMemcpyDeviceToHost));
    errors += error;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x %d\n", checksum(out), errors > 12);
  for (void *p : {static_cast<void *>(x), static_cast<void *>(y), static_cast<void *>(sum), static_cast<void *>(flag)})
    CHECK(cudaFree(p));
}
