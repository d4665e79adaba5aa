// Zero-copy: kernels write pinned host memory directly, and the host copies it on each time.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void noteAt(unsigned i, int round, float *log) {
  log[i] = float(i * 3 + unsigned(round));
}
__global__ void note(int round, float *log) { noteAt(globalThread(), round, log); }
SIMULATED(note, noteAt)
__host__ __device__ inline void halveAt(unsigned i, float *log) { log[i] *= 0.5f; }
__global__ void halve(float *log) { halveAt(globalThread(), log); }
SIMULATED(halve, halveAt)

int main() {
  float *log, *d_log, *d_kept;
  std::vector<float> kept(N);
  CHECK(cudaHostAlloc(&log, 4 * N, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&d_log, log, 0));
  CHECK(cudaMalloc(&d_kept, 4 * N));
  for (int round = 0; round < 8; ++round) {
    note<<<N / 256, 256>>>(round, d_log);
    CHECK(cudaMemcpy(d_kept, log, 4 * N, cudaMemcpyHostToDevice));
    halve<<<N / 256, 256>>>(d_kept);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(kept.data(), d_kept, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(kept));
  }
  CHECK(cudaFreeHost(log));
  CHECK(cudaFree(d_kept));
}
