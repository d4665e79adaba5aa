// An error mask is cleared before and read after each batch; errors come in one batch of eight.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-STDOUT: batch 5: 1 errors
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 17;

__host__ __device__ inline void parseAt(unsigned i, float *batch, unsigned *errors) {
  if (batch[i] > 1)
    errors[i / 32] |= 1u << i % 32;
  else
    batch[i] += 1;
}
__global__ void parse(float *batch, unsigned *errors) { parseAt(globalThread(), batch, errors); }
SIMULATED(parse, parseAt)

int main() {
  float *d_batch;
  unsigned *d_errors;
  std::vector<unsigned> errors(N / 32);
  CHECK(cudaMalloc(&d_batch, 4 * N));
  CHECK(cudaMalloc(&d_errors, N / 8));
  for (int i = 0; i < 8; ++i) {
    std::vector<float> batch = noise(N, i + 1);
    if (i == 5)
      batch[4711] = 2;
    CHECK(cudaMemcpy(d_batch, batch.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_errors, 0, N / 8));
    parse<<<N / 256, 256>>>(d_batch, d_errors);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(errors.data(), d_errors, N / 8, cudaMemcpyDeviceToHost));
    int found = 0;
    for (unsigned word : errors)
      found += __builtin_popcount(word);
    printf("batch %d: %d errors\n", i, found);
  }
  CHECK(cudaFree(d_batch));
  CHECK(cudaFree(d_errors));
}
