// A graph sends the same table each time before it calls the host: no host function can have
// written there, as the program waits between the launches.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@table
// EXPECT-NO: noop-copy proven
// EXPECT-NO: * line=@input
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 16, Bytes = 4 * N, Rounds = 8;

__host__ __device__ inline void sumAt(unsigned i, const float *table, const float *in, float *out) {
  out[i] = table[i] * in[i];
}
__global__ void sum(const float *table, const float *in, float *out) {
  sumAt(globalThread(), table, in, out);
}
SIMULATED(sum, sumAt)

static float *table, *input, *output; // of the host, pinned

static void next(void *round) {
  memcpy(input, noise(N, ++*static_cast<int *>(round)).data(), Bytes);
}

int main() {
  float *d_table, *d_in, *d_out;
  int round = 0;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  for (float **memory : {&table, &input, &output})
    CHECK(cudaMallocHost(memory, Bytes));
  for (float **memory : {&d_table, &d_in, &d_out})
    CHECK(cudaMalloc(memory, Bytes));
  memcpy(table, noise(N, 77).data(), Bytes);
  next(&round);
#ifdef FIXED
  CHECK(cudaMemcpyAsync(d_table, table, Bytes, cudaMemcpyHostToDevice, stream));
#endif
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
#ifndef FIXED
  CHECK(cudaMemcpyAsync(d_table, table, Bytes, cudaMemcpyHostToDevice, stream)); // @table
#endif
  CHECK(cudaMemcpyAsync(d_in, input, Bytes, cudaMemcpyHostToDevice, stream)); // @input
  sum<<<N / 256, 256, 0, stream>>>(d_table, d_in, d_out);
  CHECK(cudaMemcpyAsync(output, d_out, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaLaunchHostFunc(stream, next, &round));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int launch = 0; launch < Rounds; ++launch) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(output, Bytes));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(stream));
  for (float *memory : {table, input, output})
    CHECK(cudaFreeHost(memory));
  for (float *memory : {d_table, d_in, d_out})
    CHECK(cudaFree(memory));
}
