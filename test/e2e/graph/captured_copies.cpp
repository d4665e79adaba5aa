// A captured upload and download, launched three times: the data arrive, nothing is found.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: out-of-bounds-copy
// EXPECT-SITE: kind=create memory=graph-exec variable=exec line=@exec calls=1
// EXPECT-SITE: kind=launch callee=cudaGraphLaunch line=@launch calls=3
// EXPECT-SITE: kind=graph callee=cudaStreamEndCapture calls=1
// EXPECT-STDOUT: round 2: 12 12
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  cudaStream_t stream;
  int *in, *out, *d_data;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&in, 4096));
  CHECK(cudaMallocHost(&out, 4096));
  CHECK(cudaMalloc(&d_data, 4096));
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(d_data, 0, 4096, stream));
  CHECK(cudaMemcpyAsync(d_data, in, 4096, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(out, d_data, 4096, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0)); // @exec
  CHECK(cudaGraphDestroy(graph));
  for (int round = 0; round < 3; ++round) {
    in[0] = in[1023] = 10 + round;
    CHECK(cudaGraphLaunch(exec, stream)); // @launch
    CHECK(cudaStreamSynchronize(stream));
    printf("round %d: %d %d\n", round, out[0], out[1023]);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaFree(d_data));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  CHECK(cudaStreamDestroy(stream));
}
