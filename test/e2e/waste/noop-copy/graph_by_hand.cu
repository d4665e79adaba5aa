// A graph that is built by hand sends the same tables each time before it calls the host, one of
// them in a graph of its own: no host function can have written there.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@table
// EXPECT: noop-copy likely line=@inner
// EXPECT: noop-copy likely line=@generic
// EXPECT-NO: noop-copy proven
// EXPECT-NO: * line=@input
// EXPECT-NO: * line=@beside
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 16, Bytes = 4 * N, Rounds = 8;
constexpr cudaMemcpyKind Up = cudaMemcpyHostToDevice;

__host__ __device__ inline void sumAt(unsigned i, const float *table, const float *in, const float *weights,
                                      const float *offsets, float *out) {
  out[i] = table[i] * in[i] + weights[i] + offsets[i];
}
__global__ void sum(const float *table, const float *in, const float *weights, const float *offsets, float *out) {
  sumAt(globalThread(), table, in, weights, offsets, out);
}
SIMULATED(sum, sumAt)

static float *table, *weights, *offsets, *input, *output, *beside; // of the host, pinned
static float *d_table, *d_weights, *d_offsets, *d_in, *d_out, *d_beside;

static void next(void *round) {
  const auto values = noise(N, ++*static_cast<int *>(round));
  memcpy(input, values.data(), Bytes);
  memcpy(beside, values.data(), Bytes);
}

static cudaGraphNode_t addCalls(cudaGraph_t graph, cudaGraphNode_t behind, int *round) {
  cudaGraphNode_t function;
  cudaHostNodeParams host = {};
  host.fn = next;
  host.userData = round;
  CHECK(cudaGraphAddHostNode(&function, graph, &behind, 1, &host));
  return function;
}

int main() {
  int round = 0;
  cudaStream_t stream;
  cudaGraph_t graph, inner;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  for (float **memory : {&table, &weights, &offsets, &input, &output, &beside})
    CHECK(cudaMallocHost(memory, Bytes));
  for (float **memory : {&d_table, &d_weights, &d_offsets, &d_in, &d_out, &d_beside})
    CHECK(cudaMalloc(memory, Bytes));
  memcpy(table, noise(N, 77).data(), Bytes);
  memcpy(weights, noise(N, 78).data(), Bytes);
  memcpy(offsets, noise(N, 79).data(), Bytes);
  next(&round);
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first[4], kernel, back, aside;
  int before = 1;
  CHECK(cudaGraphAddMemcpyNode1D(&first[0], graph, nullptr, 0, d_in, input, Bytes, Up)); // @input
#ifdef FIXED
  CHECK(cudaMemcpy(d_table, table, Bytes, Up));
  CHECK(cudaMemcpy(d_weights, weights, Bytes, Up));
  CHECK(cudaMemcpy(d_offsets, offsets, Bytes, Up));
#else
  before = 4;
  CHECK(cudaGraphAddMemcpyNode1D(&first[1], graph, nullptr, 0, d_table, table, Bytes, Up)); // @table
  CHECK(cudaGraphCreate(&inner, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&back, inner, nullptr, 0, d_weights, weights, Bytes, Up)); // @inner
  CHECK(cudaGraphAddChildGraphNode(&first[2], graph, nullptr, 0, inner));
  CHECK(cudaGraphDestroy(inner));
  cudaGraphNodeParams copy = {};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(offsets, Bytes, Bytes, 1);
  copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(d_offsets, Bytes, Bytes, 1);
  copy.memcpy.copyParams.extent = make_cudaExtent(Bytes, 1, 1);
  copy.memcpy.copyParams.kind = Up;
  CHECK(cudaGraphAddNode(&first[3], graph, nullptr, nullptr, 0, &copy)); // @generic
#endif
  void *arguments[] = {&d_table, &d_in, &d_weights, &d_offsets, &d_out};
  cudaKernelNodeParams node = {};
  node.func = (void *)sum;
  node.gridDim = dim3(N / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, first, before, &node));
  CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, output, d_out, Bytes, cudaMemcpyDeviceToHost));
  cudaGraphNode_t function = addCalls(graph, back, &round);
  CHECK(cudaGraphAddMemcpyNode1D(&aside, graph, &function, 1, d_beside, beside, Bytes, Up)); // @beside
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int launch = 0; launch < Rounds; ++launch) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(output, Bytes));
    CHECK(cudaMemcpy(output, d_beside, Bytes, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(output, Bytes));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(stream));
  for (float *memory : {table, weights, offsets, input, output, beside})
    CHECK(cudaFreeHost(memory));
  for (float *memory : {d_table, d_weights, d_offsets, d_in, d_out, d_beside})
    CHECK(cudaFree(memory));
}
