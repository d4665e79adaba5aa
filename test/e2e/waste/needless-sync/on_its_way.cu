// The device is synchronised behind a blocking upload. Out of pageable memory it is back once the driver has the bytes:
// a stream that waits for no other (the twin's) could be there before them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: needless-sync advice function=main line=@sync count=6
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void stepAt(unsigned i, float *y, const float *x) { y[i] = 0.5f * y[i] + x[i]; }
__global__ void step(float *y, const float *x) { stepAt(globalThread(), y, x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_y;
  cudaStream_t stream;
#ifdef FIXED
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#else
  CHECK(cudaStreamCreate(&stream));
#endif
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemsetAsync(d_y, 0, 4 * N, stream));
  for (int i = 0; i < 6; ++i) {
    x[i] += 1;
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize()); // @sync
    step<<<N / 256, 256, 0, stream>>>(d_y, d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(x.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
