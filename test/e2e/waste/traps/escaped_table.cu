// Buffers are reached through a table of pointers in device memory; no launch names them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Layers = 4;

__host__ __device__ inline void dropAt(unsigned i, float *const *layers, float threshold) {
  for (int layer = 0; layer < Layers; ++layer)
    if (layers[layer][i] > threshold)
      layers[layer][i] = 0;
}
__global__ void drop(float *const *layers, float threshold) {
  dropAt(globalThread(), layers, threshold);
}
SIMULATED(drop, dropAt)

int main() {
  std::vector<float> layer = noise(N), out(N);
  float *layers[Layers], **d_layers;
  for (float *&d_layer : layers)
    CHECK(cudaMalloc(&d_layer, 4 * N));
  CHECK(cudaMalloc(&d_layers, sizeof(layers)));
  CHECK(cudaMemcpy(d_layers, layers, sizeof(layers), cudaMemcpyHostToDevice));
  for (int round = 0; round < 8; ++round) {
    for (float *d_layer : layers)
      CHECK(cudaMemcpy(d_layer, layer.data(), 4 * N, cudaMemcpyHostToDevice));
    drop<<<N / 256, 256>>>(d_layers, round == 7 ? 0.5f : 1.0f);
    CHECK(cudaGetLastError());
  }
  for (float *d_layer : layers) {
    CHECK(cudaMemcpy(out.data(), d_layer, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
    CHECK(cudaFree(d_layer));
  }
  CHECK(cudaFree(d_layers));
}
