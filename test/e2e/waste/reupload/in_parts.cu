// A buffer that is made anew in each round and filled in four parts, each in a stream of its own: each
// part brings what the last buffer held there. Parts that change from round to round are needed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload proven variable=d_weights line=@part related=@free count=20
// EXPECT-NO[both]: reupload line=@frame
// EXPECT-NO[both]: noop-copy line=@frame
// EXPECT-ALL
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Parts = 4, Size = N / Parts, Rounds = 6;

__host__ __device__ inline void weighAt(unsigned i, float *y, const float *x, const float *w) {
  y[i] = 0.5f * y[i] + w[i] * x[i];
}
__global__ void weigh(float *y, const float *x, const float *w) { weighAt(globalThread(), y, x, w); }
SIMULATED(weigh, weighAt)

int main() {
  std::vector<float> weights = noise(N), frame = noise(N, 2), result(N);
  cudaStream_t streams[Parts];
  for (cudaStream_t &stream : streams)
    CHECK(cudaStreamCreate(&stream));
  float *d_result, *d_weights;
  CHECK(cudaMalloc(&d_result, N * sizeof(float)));
  CHECK(cudaMemset(d_result, 0, N * sizeof(float)));
  auto fill = [&] {
    CHECK(cudaMalloc(&d_weights, N * sizeof(float)));
    for (int p = 0; p < Parts; ++p)
      CHECK(cudaMemcpyAsync(d_weights + p * Size, weights.data() + p * Size, Size * sizeof(float), // @part
                            cudaMemcpyHostToDevice, streams[p]));
  };
#ifdef FIXED
  fill();
#endif
  for (int round = 0; round < Rounds; ++round) {
#ifndef FIXED
    fill();
#endif
    float *d_frame;
    CHECK(cudaMalloc(&d_frame, N * sizeof(float)));
    for (int p = 0; p < Parts; ++p) {
      frame[size_t(p * Size + round)] += 1;
      CHECK(cudaMemcpy(d_frame + p * Size, frame.data() + p * Size, Size * sizeof(float), // @frame
                       cudaMemcpyHostToDevice));
    }
    CHECK(cudaDeviceSynchronize());
    weigh<<<N / 256, 256>>>(d_result, d_frame, d_weights);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_frame));
#ifndef FIXED
    CHECK(cudaFree(d_weights)); // @free
#endif
  }
#ifdef FIXED
  CHECK(cudaFree(d_weights));
#endif
  CHECK(cudaMemcpy(result.data(), d_result, N * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  CHECK(cudaFree(d_result));
  for (cudaStream_t stream : streams)
    CHECK(cudaStreamDestroy(stream));
}
