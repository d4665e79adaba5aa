// The same batches in each epoch, sent in turn into one buffer: no upload finds its bytes there, and all but the first
// epoch's bring what this line has sent before. Kept, each needs a buffer of its own: the fixed program has them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload advice line=@send count>=16 bytes>=4MiB
// EXPECT-REPORT: *fix: keep the contents that come again on the device, as far as there is*
// EXPECT-CLEAN
// On a busy machine a look takes long enough for the budget to be spent on the first ones.
// OPTIONS: verbose=1 audit=sampled budget=100
// EXPECT-NO[twin]: reupload
// EXPECT-NO[twin]: duplicate-buffer
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Batches = 4, Epochs = 6;

__host__ __device__ inline void addAt(unsigned i, const float *batch, float *sum) { sum[i] += batch[i]; }
__global__ void add(const float *batch, float *sum) { addAt(globalThread(), batch, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> batch[Batches], sum(N), staged(N);
  float *d_sum, *d_batch;
  for (int b = 0; b < Batches; ++b)
    batch[b] = noise(N, b + 1);
  CHECK(cudaMalloc(&d_sum, N * 4));
  CHECK(cudaMemset(d_sum, 0, N * 4));
#ifdef FIXED
  CHECK(cudaMalloc(&d_batch, Batches * N * 4));
  for (int b = 0; b < Batches; ++b)
    CHECK(cudaMemcpy(d_batch + b * N, batch[b].data(), N * 4, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMalloc(&d_batch, N * 4));
#endif
  for (int epoch = 0; epoch < Epochs; ++epoch)
    for (int b = 0; b < Batches; ++b) {
#ifdef FIXED
      add<<<N / 256, 256>>>(d_batch + b * N, d_sum);
#else
      staged = batch[b];
      CHECK(cudaMemcpy(d_batch, staged.data(), N * 4, cudaMemcpyHostToDevice)); // @send
      add<<<N / 256, 256>>>(d_batch, d_sum);
#endif
      CHECK(cudaGetLastError());
    }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_batch));
  CHECK(cudaFree(d_sum));
}
