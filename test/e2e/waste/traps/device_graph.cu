// A graph that kernels may launch may write what it was given whenever another graph runs: whether its
// flag is reset for nothing, nobody can tell; of one that only the host launches, and does not, it is.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: noop-copy proven line=@kept count>=6
// EXPECT-NO: noop-copy proven line=@reset
// EXPECT-NO: noop-copy proven line=@updated
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr unsigned DeviceLaunch = 4; // cudaGraphInstantiateFlagDeviceLaunch

__global__ void raise(int *flag) { flag[globalThread()] = 1; }
/// Stands for one that launches a graph from the device.
__global__ void decide(unsigned long long graph, int *seen) {
  seen[globalThread()] = graph != 0;
}
inline void noRaise(unsigned, int *) {}
inline void decideAt(unsigned i, unsigned long long graph, int *seen) { seen[i] = graph != 0; }
SIMULATED(raise, noRaise)
SIMULATED(decide, decideAt)

template <typename Body> static cudaGraph_t capture(Body body) {
  cudaStream_t stream;
  cudaGraph_t graph;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  body(stream);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaStreamDestroy(stream));
  return graph;
}

static cudaGraph_t raising(int *d_flag) {
  return capture([=](cudaStream_t stream) { raise<<<1, 1, 0, stream>>>(d_flag); });
}

int main() {
  int *d_flag, *d_updated, *d_kept, *d_seen, flags[4] = {}, sum = 0;
  cudaGraphExec_t raises, raisesKept, decides;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  CHECK(cudaMalloc(&d_seen, sizeof(int)));
  cudaGraph_t graph = raising(d_flag);
  CHECK(cudaGraphInstantiate(&raises, graph, DeviceLaunch));
  CHECK(cudaGraphUpload(raises, nullptr));
  CHECK(cudaGraphDestroy(graph));
  // Made later, and given to that graph as well.
  CHECK(cudaMalloc(&d_updated, sizeof(int)));
  cudaGraphExecUpdateResultInfo result;
  graph = raising(d_updated);
  CHECK(cudaGraphExecUpdate(raises, graph, &result));
  CHECK(cudaGraphUpload(raises, nullptr));
  CHECK(cudaGraphDestroy(graph));
  // ... and to another one.
  CHECK(cudaMalloc(&d_kept, sizeof(int)));
  graph = raising(d_kept);
  CHECK(cudaGraphInstantiate(&raisesKept, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  graph = capture([=](cudaStream_t stream) {
    decide<<<1, 1, 0, stream>>>(reinterpret_cast<unsigned long long>(raises), d_seen);
  });
  CHECK(cudaGraphInstantiate(&decides, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));    // @reset
    CHECK(cudaMemset(d_updated, 0, sizeof(int))); // @updated
    CHECK(cudaMemset(d_kept, 0, sizeof(int)));    // @kept
    CHECK(cudaGraphLaunch(decides, nullptr));
    CHECK(cudaMemcpy(&flags[0], d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&flags[1], d_updated, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&flags[2], d_kept, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&flags[3], d_seen, sizeof(int), cudaMemcpyDeviceToHost));
    sum += flags[0] + flags[1] + flags[2] + flags[3];
  }
  printf("%d\n", sum);
  for (cudaGraphExec_t exec : {raises, raisesKept, decides})
    CHECK(cudaGraphExecDestroy(exec));
  for (int *memory : {d_flag, d_updated, d_kept, d_seen})
    CHECK(cudaFree(memory));
}
