// Trap: weights come to the host for a checkpoint that may never be read; each one is new, and the
// same buffer goes up again only after a restart from an older checkpoint.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void trainAt(unsigned i, float *weights, float rate) {
  weights[i] -= rate * (weights[i] - 0.5f);
}
__global__ void train(float *weights, float rate) { trainAt(globalThread(), weights, rate); }
SIMULATED(train, trainAt)

int main() {
  std::vector<float> checkpoint = noise(N), best;
  float *d_weights;
  CHECK(cudaMalloc(&d_weights, 4 * N));
  CHECK(cudaMemcpy(d_weights, checkpoint.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int epoch = 0; epoch < 9; ++epoch) {
    train<<<N / 256, 256>>>(d_weights, 0.125f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(checkpoint.data(), d_weights, 4 * N, cudaMemcpyDeviceToHost));
    if (epoch % 3 == 0)
      best = checkpoint;
    if (epoch % 3 == 2) // back to the best one
      CHECK(cudaMemcpy(d_weights, best.data(), 4 * N, cudaMemcpyHostToDevice));
  }
  CHECK(cudaMemset(d_weights, 0, 4));
  CHECK(cudaMemcpy(checkpoint.data(), d_weights, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(checkpoint));
  CHECK(cudaFree(d_weights));
}
