// A layer allocates its weights, uploads them and frees them again in every forward pass.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload function=forward line=@upload variable=d_weights count>=4 bytes>=4MiB
// EXPECT: alloc-churn advice function=forward line=@alloc variable=d_weights count>=3
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void layerAt(unsigned i, const float *weights, float *x) {
  x[i] = x[i] * weights[i] + 0.125f;
}
__global__ void layer(const float *weights, float *x) { layerAt(globalThread(), weights, x); }
SIMULATED(layer, layerAt)

static void forward(const std::vector<float> &weights, float *d_x) {
#ifdef FIXED
  static float *d_weights = nullptr;
  if (!d_weights) {
    CHECK(cudaMalloc(&d_weights, N * 4));
    CHECK(cudaMemcpy(d_weights, weights.data(), N * 4, cudaMemcpyHostToDevice));
  }
#else
  float *d_weights;
  CHECK(cudaMalloc(&d_weights, N * 4)); // @alloc
  CHECK(cudaMemcpy(d_weights, weights.data(), N * 4, cudaMemcpyHostToDevice)); // @upload
#endif
  layer<<<N / 256, 256>>>(d_weights, d_x);
  CHECK(cudaGetLastError());
#ifndef FIXED
  CHECK(cudaFree(d_weights));
#endif
}

int main() {
  std::vector<float> weights = noise(N, 3), x = noise(N, 4);
  float *d_x;
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int pass = 0; pass < 6; ++pass)
    forward(weights, d_x);
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
