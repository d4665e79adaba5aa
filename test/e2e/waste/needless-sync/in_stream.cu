// Trap: nothing but an allocation, a prefetch or the upload of a graph is in the stream, and the wait is needed all
// the same: memory of a pool is there for other streams only behind it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void fillAt(unsigned i, float *x, float by) { x[i] = by + i; }
__global__ void fill(float *x, float by) { fillAt(globalThread(), x, by); }
SIMULATED(fill, fillAt)

/// A graph is brought to the device before it is timed.
static void upload(float *d_x, float by, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  fill<<<N / 256, 256, 0, stream>>>(d_x, by);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphUpload(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void prefetch(void *x, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  void *memory[] = {x};
  size_t bytes[] = {4 * N}, index[] = {0};
  cudaMemLocation place = {};
  place.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPrefetchBatchAsync(memory, bytes, 1, &place, index, 1, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
#endif
  (void)x;
  (void)stream;
}

int main() {
  std::vector<float> result(N);
  float *shared;
  CHECK(cudaMallocManaged(&shared, 4 * N));
  cudaStream_t one, other;
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (int round = 0; round < 5; ++round) {
    float *d_x;
    CHECK(cudaMallocAsync(&d_x, 4 * N, one));
    CHECK(cudaStreamSynchronize(one));
    fill<<<N / 256, 256, 0, other>>>(d_x, round);
    CHECK(cudaMemcpyAsync(result.data(), d_x, 4 * N, cudaMemcpyDeviceToHost, other));
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaFree(d_x));
    printf("%08x\n", checksum(result.data(), 4 * N));
    shared[round] = round;
    prefetch(shared, one);
    upload(shared, round, one);
  }
  CHECK(cudaFree(shared));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(other));
}
