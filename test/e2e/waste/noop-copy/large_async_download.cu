// A result that no kernel changes any more comes back each round, asynchronously into pinned
// memory. The device is asked alone until it holds the same again; the host's side is looked at
// from then on.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@down variable=result count>=3
// EXPECT-ALL
// EXPECT-CLEAN[twin]
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20, Rounds = 12;

__host__ __device__ inline void growAt(unsigned i, float *state) { state[i] += 1; }
__global__ void grow(float *state) { growAt(globalThread(), state); }
SIMULATED(grow, growAt)

int main() {
  float *state, *total, *result;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&state, 4 * N));
  CHECK(cudaMalloc(&total, 4 * N));
  CHECK(cudaMallocHost(&result, 4 * N));
  std::vector<float> first = noise(N);
  CHECK(cudaMemcpy(state, first.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(total, state, 4 * N, cudaMemcpyDeviceToDevice));
  grow<<<N / 256, 256, 0, stream>>>(total);
  CHECK(cudaGetLastError());
  for (int round = 0; round < Rounds; ++round) {
    grow<<<N / 256, 256, 0, stream>>>(state);
    CHECK(cudaGetLastError());
#ifdef FIXED
    float *from = state;
#else
    float *from = total;
#endif
    CHECK(cudaMemcpyAsync(result, from, 4 * N, cudaMemcpyDeviceToHost, stream)); // @down
    CHECK(cudaStreamSynchronize(stream));
    printf("%d: %08x\n", round, checksum(result, 4 * N));
  }
  CHECK(cudaFreeHost(result));
  CHECK(cudaFree(total));
  CHECK(cudaFree(state));
  CHECK(cudaStreamDestroy(stream));
}
