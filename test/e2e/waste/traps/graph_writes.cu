// A graph that was captured long ago writes the buffer between two uploads of the same bytes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: roundtrip
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void clampAt(unsigned i, float *x) {
  if (x[i] > 0.999f)
    x[i] = 0.999f;
}
__global__ void clamp(float *x) { clampAt(globalThread(), x); }
SIMULATED(clamp, clampAt)

int main() {
  std::vector<float> x = noise(N), out(N);
  for (float &value : x) // nothing to clamp but in the last round
    value *= 0.5f;
  float *d_x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  clamp<<<N / 256, 256, 0, stream>>>(d_x);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&out[round], d_x + round, 4, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(out));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
}
