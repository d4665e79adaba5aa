// Memory that a graph allocates belongs to the graph: no leak.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: leak memory=async
// EXPECT-STDOUT: launched
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void *d_work = nullptr;
  CHECK(cudaMallocAsync(&d_work, 1 << 16, stream));
  CHECK(cudaMemsetAsync(d_work, 0, 1 << 16, stream));
  CHECK(cudaFreeAsync(d_work, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  puts("launched");
}
