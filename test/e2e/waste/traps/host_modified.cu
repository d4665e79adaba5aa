// The device's array does not change, but the host sorts its copy and fetches a fresh one each time.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void hashAt(unsigned i, unsigned *x) { x[i] = i * 2654435761u; }
__global__ void hashes(unsigned *x) { hashAt(globalThread(), x); }
SIMULATED(hashes, hashAt)

int main() {
  std::vector<unsigned> x(N);
  unsigned *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  hashes<<<N / 256, 256>>>(d_x);
  CHECK(cudaGetLastError());
  for (unsigned round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    x[40000] = round; // what a shuffle or a sort would do, in one element
    printf("%08x\n", checksum(x));
  }
  CHECK(cudaFree(d_x));
}
