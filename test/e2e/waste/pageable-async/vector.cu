// Frames go to a stream "asynchronously" from a std::vector, and come back into one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full:verbose=1
// EXPECT: pageable-async advice function=main line=@up variable=d_frame count=6 bytes=6MiB
// EXPECT: pageable-async advice function=main line=@down count=6 bytes=6MiB
// EXPECT-REPORT: *d_frame <- frame*H2D*vector.cu:{@up}*
// EXPECT-REPORT: *allocate the memory of frame with*
// EXPECT-REPORT: *result <- d_frame*D2H*vector.cu:{@down}*
// EXPECT-REPORT: *allocate the memory of result with*
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <algorithm>

constexpr int N = 1 << 18;

__host__ __device__ inline void invertAt(unsigned i, float *frame) { frame[i] = 1 - frame[i]; }
__global__ void invert(float *frame) { invertAt(globalThread(), frame); }
SIMULATED(invert, invertAt)

int main() {
#ifdef FIXED
  float *frame, *result;
  CHECK(cudaMallocHost(&frame, 4 * N));
  CHECK(cudaMallocHost(&result, 4 * N));
#else
  std::vector<float> frameData(N), resultData(N);
  float *frame = frameData.data(), *result = resultData.data();
#endif
  float *d_frame;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_frame, 4 * N));
  for (int i = 0; i < 6; ++i) {
    std::vector<float> next = noise(N, i + 1);
    std::copy(next.begin(), next.end(), frame);
    CHECK(cudaMemcpyAsync(d_frame, frame, 4 * N, cudaMemcpyHostToDevice, stream)); // @up
    invert<<<N / 256, 256, 0, stream>>>(d_frame);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, d_frame, 4 * N, cudaMemcpyDeviceToHost, stream)); // @down
    CHECK(cudaStreamSynchronize(stream));
    printf("%d: %08x\n", i, checksum(result, 4 * N));
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_frame));
#ifdef FIXED
  CHECK(cudaFreeHost(frame));
  CHECK(cudaFreeHost(result));
#endif
}
