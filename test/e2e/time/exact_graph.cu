// Replays of a graph are charged to the lines that it was captured from, node by node.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: gpu
// OPTIONS: gpu_time=exact:audit=off
// EXPECT-CLEAN
// EXPECT-SITE: line=@first device-method=exact device-operations=20
// EXPECT-SITE: line=@second device-method=exact device-operations=40
// EXPECT-SITE: line=@set device-method=exact device-operations=20
// EXPECT-SITE: line=@graph calls=20 device-operations=0
// EXPECT-SITE: line=@plain device-method=exact device-operations=5
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void touch(int *x) { *x += 1; }

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *d_x;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_x, 4096));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  touch<<<1, 1, 0, stream>>>(d_x); // @first
  for (int i = 0; i < 2; ++i)
    touch<<<1, 1, 0, stream>>>(d_x);            // @second
  CHECK(cudaMemsetAsync(d_x, 0, 4096, stream)); // @set
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 20; ++i) {
    CHECK(cudaGraphLaunch(exec, stream)); // @graph
    if (i % 4 == 0)
      touch<<<1, 1, 0, stream>>>(d_x); // @plain
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(d_x));
  CHECK(cudaStreamDestroy(stream));
}
