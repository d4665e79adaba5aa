// The table goes to the stream again behind kernels that work by warps: cooperative groups wait for their block alone.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@table variable=d_table count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <string.h>

namespace cg = cooperative_groups;

constexpr int N = 1 << 18, Steps = 12;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const float sum = cg::reduce(warp, table[globalThread()], cg::plus<float>{});
  block.sync();
  if (sum == sum) // always
    scaleAt(globalThread(), table, x);
}
SIMULATED(scale, scaleAt)

int main() {
  float *table, *d_table, *d_x;
  cudaStream_t stream;
  std::vector<float> x = noise(N, 2);
  CHECK(cudaMallocHost(&table, N * 4));
  memcpy(table, noise(N).data(), N * 4);
  CHECK(cudaMalloc(&d_table, N * 4));
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int step = 0; step < Steps; ++step) {
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpyAsync(d_table, table, N * 4, cudaMemcpyHostToDevice, stream)); // @table
    scale<<<N / 256, 256, 0, stream>>>(d_table, d_x);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(table));
}
