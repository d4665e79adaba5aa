// Two buffers change places after each launch, in a first loop and in the measured one: the upload is
// overwritten in the first loop, and what the row names is the kernel there, not the last that wrote.
// Trap: where the first launch writes a half only, the next one reads the other half.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// EXPECT: dead-copy likely function=main line=@sent variable=d_c related=@warmup count=1 bytes=1MiB
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void addAt(unsigned i, const float *a, const float *b, float *c, int n) {
  if (i < n)
    c[i] = a[i] + b[i];
}
__global__ void add(const float *a, const float *b, float *c, int n) {
  addAt(globalThread(), a, b, c, n);
}
SIMULATED(add, addAt)

int main() {
  std::vector<float> a = noise(N), b = noise(N, 2), c = noise(N, 3);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, 4 * N));
  CHECK(cudaMalloc(&d_b, 4 * N));
  CHECK(cudaMalloc(&d_c, 4 * N));
  CHECK(cudaMemcpy(d_a, a.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_c, c.data(), 4 * N, cudaMemcpyHostToDevice)); // @sent
#ifdef FIXED // the upload is needed
  const int first = N / 2;
#else
  const int first = N;
#endif
  for (int i = 0; i < 2; ++i) {
    add<<<N / 256, 256>>>(d_a, d_b, d_c, i == 0 ? first : N); // @warmup
    std::swap(d_a, d_c);
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 10; ++i) {
    add<<<N / 256, 256>>>(d_a, d_b, d_c, N);
    std::swap(d_a, d_c);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(a.data(), d_a, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(a));
  for (float *d : {d_a, d_b, d_c})
    CHECK(cudaFree(d));
}
