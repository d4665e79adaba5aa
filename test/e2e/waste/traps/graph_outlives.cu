// A graph goes on with an address whose memory was freed, and allocated again for a flag: its kernel sets that seldom,
// and an upload resets it each time.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: noop-copy proven line=@fixed
// EXPECT-NO: noop-copy proven line=@pool
// EXPECT-NO: noop-copy proven line=@plain
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14, Rounds = 60, Bytes = 4 * N;

__host__ __device__ inline void setAt(unsigned i, int *flag, int *count) {
  if (i == 0 && ++*count % 19 == 0)
    *flag = 1;
}
__global__ void set(int *flag, int *count) { setAt(globalThread(), flag, count); }
SIMULATED(set, setAt)

static cudaGraphExec_t graphFor(int *flag, int *count, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  set<<<1, 1, 0, stream>>>(flag, count);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

static bool isSet(const int *flag, cudaGraphExec_t exec, cudaStream_t stream) {
  int now;
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&now, flag, 4, cudaMemcpyDeviceToHost));
  return now == 1;
}

int main() {
  std::vector<int> table(N);
  for (int i = 1; i < N; ++i)
    table[i] = 3 * i;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *count, *first, *x, times = 0;
  CHECK(cudaMalloc(&count, 4));
  CHECK(cudaMemset(count, 0, 4));

  CHECK(cudaMallocAsync(&first, Bytes, stream));
  cudaGraphExec_t exec = graphFor(first, count, stream);
  CHECK(cudaFreeAsync(first, stream));
  CHECK(cudaMallocAsync(&x, Bytes, stream));
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpyAsync(x, table.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @pool
    times += isSet(x, exec, stream);
  }
  CHECK(cudaFreeAsync(x, stream));
  CHECK(cudaGraphExecDestroy(exec));

  CHECK(cudaMalloc(&first, Bytes));
  exec = graphFor(first, count, stream);
  CHECK(cudaFree(first));
  CHECK(cudaMalloc(&x, Bytes));
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(x, table.data(), Bytes, cudaMemcpyHostToDevice)); // @plain
    times += isSet(x, exec, stream);
  }
  CHECK(cudaGraphExecDestroy(exec));

  for (int i = 0; i < Rounds; ++i)
    CHECK(cudaMemcpy(x, table.data(), Bytes, cudaMemcpyHostToDevice)); // @fixed
  (void)times; // where no kernel runs, none was set
  CHECK(cudaFree(x));
  CHECK(cudaFree(count));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
}
