// A captured graph sends the same in every launch. Its twin sends two things to the same memory,
// each before a kernel of its own: always the same two, but what one brought the other overwrites.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@first
// EXPECT-NO: * proven
// EXPECT-NO[twin]: *
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <algorithm>

constexpr int N = 1 << 16;

__host__ __device__ inline void addAt(unsigned i, const float *x, float *sum) { sum[i] += x[i]; }
__global__ void add(const float *x, float *sum) { addAt(globalThread(), x, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> values = noise(N, 1), others = noise(N, 2);
  float *a, *b, *sum, *d_x, *d_sum;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&a, 4 * N));
  CHECK(cudaMallocHost(&b, 4 * N));
  CHECK(cudaMallocHost(&sum, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  std::copy(values.begin(), values.end(), a);
  std::copy(others.begin(), others.end(), b);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMemcpyAsync(d_x, a, 4 * N, cudaMemcpyHostToDevice, stream)); // @first
  add<<<N / 256, 256, 0, stream>>>(d_x, d_sum);
#ifdef FIXED
  CHECK(cudaMemcpyAsync(d_x, b, 4 * N, cudaMemcpyHostToDevice, stream));
#endif
  add<<<N / 256, 256, 0, stream>>>(d_x, d_sum);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < 12; ++round) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(sum, d_sum, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(sum, 4 * N));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  CHECK(cudaFreeHost(a));
  CHECK(cudaFreeHost(b));
  CHECK(cudaFreeHost(sum));
}
