// A graph built by hand: its copy node sends the same settings at every launch.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@up variable=d_set count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>
#include <string.h>

constexpr auto Up = cudaMemcpyHostToDevice;
constexpr int N = 1 << 18, Steps = 12, Bytes = N * 4;

int main() {
  float *settings, *d_set, *d_copy;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t up, keep;
  std::vector<float> back(N);
  CHECK(cudaMallocHost(&settings, Bytes));
  memcpy(settings, noise(N).data(), Bytes);
  CHECK(cudaMalloc(&d_set, Bytes));
  CHECK(cudaMalloc(&d_copy, Bytes));
  CHECK(cudaMemset(d_set, 0, Bytes));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGraphCreate(&graph, 0));
#ifdef FIXED
  CHECK(cudaMemcpy(d_set, settings, Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNode1D(&keep, graph, nullptr, 0, d_copy, d_set, Bytes,
                                 cudaMemcpyDeviceToDevice));
  (void)up;
#else
  CHECK(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, d_set, settings, Bytes, Up)); // @up
  CHECK(cudaGraphAddMemcpyNode1D(&keep, graph, &up, 1, d_copy, d_set, Bytes,
                                 cudaMemcpyDeviceToDevice));
#endif
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int step = 0; step < Steps; ++step) {
    CHECK(cudaMemset(d_copy, step, Bytes));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(back.data(), d_copy, Bytes, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(back));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_set));
  CHECK(cudaFree(d_copy));
  CHECK(cudaFreeHost(settings));
}
