// Trap: synchronising after what looks like a blocking call but is none: a set, a copy within the
// device, a launch, a copy on another stream; and waiting for an event.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 1.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

int main() {
  float *x, *d_x, *d_y;
  cudaStream_t stream;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMallocHost(&x, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  for (int round = 0; round < 4; ++round) {
    CHECK(cudaMemset(d_x, 0x3f + round, 4 * N)); // floats of 0.7, 3, 12, 48
    CHECK(cudaDeviceSynchronize());
    step<<<N / 256, 256>>>(d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(d_y, d_x, 4 * N, cudaMemcpyDeviceToDevice));
    CHECK(cudaStreamSynchronize(nullptr));
    step<<<N / 256, 256, 0, stream>>>(d_y);
    CHECK(cudaMemcpyAsync(x, d_y, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventSynchronize(event));
    printf("%08x\n", checksum(x, 4 * N));
  }
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFreeHost(x));
}
