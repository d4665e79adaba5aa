// Uploads and sets under capture are no copies yet; the graph that they make is launched with data
// that changes in place.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 16;

__host__ __device__ inline void scaleAt(unsigned i, const float *in, float *out) {
  out[i] += 2 * in[i];
}
__global__ void scale(const float *in, float *out) { scaleAt(globalThread(), in, out); }
SIMULATED(scale, scaleAt)

int main() {
  float *h_in, *h_out, *d_in, *d_out;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&h_in, 4 * N));
  CHECK(cudaMallocHost(&h_out, 4 * N));
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  for (int round = 0; round < 6; ++round) { // captured anew each time
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemcpyAsync(d_in, h_in, 4 * N, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(d_out, 0, 4 * N, stream));
    scale<<<N / 256, 256, 0, stream>>>(d_in, d_out);
    CHECK(cudaMemcpyAsync(h_out, d_out, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    memcpy(h_in, noise(N, round + 1).data(), 4 * N);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(h_out, 4 * N));
    CHECK(cudaGraphExecDestroy(exec));
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(h_in));
  CHECK(cudaFreeHost(h_out));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
}
