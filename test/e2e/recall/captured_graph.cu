// A captured step holds the upload of its constant table: each launch sends it again.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@table variable=d_table count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 18, Steps = 12;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

int main() {
  float *table, *d_table, *d_x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  std::vector<float> x = noise(N, 2);
  CHECK(cudaMallocHost(&table, N * 4));
  memcpy(table, noise(N).data(), N * 4);
  CHECK(cudaMalloc(&d_table, N * 4));
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
#ifdef FIXED
  CHECK(cudaMemcpy(d_table, table, N * 4, cudaMemcpyHostToDevice));
#endif
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#ifndef FIXED
  CHECK(cudaMemcpyAsync(d_table, table, N * 4, cudaMemcpyHostToDevice, stream)); // @table
#endif
  scale<<<N / 256, 256, 0, stream>>>(d_table, d_x);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int step = 0; step < Steps; ++step) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(table));
}
