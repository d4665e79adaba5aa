// Trap: nothing but an allocation, a prefetch or the upload of a graph is in the stream, and the wait is needed all
// the same: memory of a pool is there for other streams only behind it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void fillAt(unsigned i, float *x, float by) { x[i] = by + i; }
__global__ void fill(float *x, float by) { fillAt(globalThread(), x, by); }
SIMULATED(fill, fillAt)

int main() {
  std::vector<float> result(N);
  cudaStream_t one, other;
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (int round = 0; round < 5; ++round) {
    float *d_x;
    CHECK(cudaMallocAsync(&d_x, 4 * N, one));
    CHECK(cudaStreamSynchronize(one));
    fill<<<N / 256, 256, 0, other>>>(d_x, round);
    CHECK(cudaMemcpyAsync(result.data(), d_x, 4 * N, cudaMemcpyDeviceToHost, other));
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaFree(d_x));
    printf("%08x\n", checksum(result.data(), 4 * N));
  }
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(other));
}
