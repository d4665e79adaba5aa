// The host resets an error flag before each batch and reads it behind. No error comes, so each reset sends what
// the read has just brought; without it the first error would be told again in every later batch. What comes
// back changed from the device each time is a round trip all the same.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven line=@reset
// EXPECT-NO: * proven line=@read
// EXPECT: roundtrip likely line=@reset related=@read
// EXPECT: roundtrip proven line=@back related=@fetch count>=6
// EXPECT-STDOUT: 0 batches with errors, *
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *batch, int *error) {
  batch[i] = batch[i] * 0.5f + 1;
  if (batch[i] < 0)
    *error = int(i);
}
__global__ void step(float *batch, int *error) { stepAt(globalThread(), batch, error); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> batch = noise(N);
  float *d_batch;
  int *d_error, errors = 0;
  CHECK(cudaMalloc(&d_batch, 4 * N));
  CHECK(cudaMalloc(&d_error, 4));
  for (int i = 0; i < 8; ++i) {
    int error = -1;
    CHECK(cudaMemcpy(d_batch, batch.data(), 4 * N, cudaMemcpyHostToDevice)); // @back
    CHECK(cudaMemcpy(d_error, &error, 4, cudaMemcpyHostToDevice));           // @reset
    step<<<N / 256, 256>>>(d_batch, d_error);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&error, d_error, 4, cudaMemcpyDeviceToHost));           // @read
    CHECK(cudaMemcpy(batch.data(), d_batch, 4 * N, cudaMemcpyDeviceToHost)); // @fetch
    errors += error >= 0;
  }
  printf("%d batches with errors, %08x\n", errors, checksum(batch));
  CHECK(cudaFree(d_batch));
  CHECK(cudaFree(d_error));
}
