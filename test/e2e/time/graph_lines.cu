// Sampled replays name the lines that their graph was captured from: forked streams and kernels
// that were hot before included. One that was updated goes by the new capture, one that was built
// node by node names none.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz nvcc
// OPTIONS: gpu_time=sampled:audit=off:budget=100:verbose=1
// EXPECT-CLEAN
// EXPECT-STDOUT: nodes 3
// EXPECT-SITE: line=@graph calls=20 device-method=sampled
// EXPECT-SITE: line=@first calls=2001 device-method=sampled
// EXPECT-REPORT: * graph exec *{@graph}
// EXPECT-REPORT: * graph exec: captured at *:{@first}, *:{@set}, *:{@forked}
// EXPECT-REPORT: * graph updated: captured at *:{@second}
// EXPECT-NO-REPORT: * graph built: captured*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void touch(int *x) { *x += 1; }

static cudaStream_t stream, other;
static int *d_x;

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

static cudaGraph_t forked() {
  cudaGraph_t graph;
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  for (int i = 0; i < 2001; ++i) {
    if (i == 2000) {
      CHECK(cudaStreamSynchronize(stream)); // gives gpuinstr's events back
      CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    }
    touch<<<1, 1, 0, stream>>>(d_x); // @first
  }
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  CHECK(cudaMemsetAsync(d_x + 1, 0, sizeof(int), stream)); // @set
  touch<<<1, 1, 0, other>>>(d_x + 2);                      // @forked
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  return graph;
}

static cudaGraph_t single(bool second) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  if (second)
    touch<<<1, 1, 0, stream>>>(d_x); // @second
  else
    touch<<<1, 1, 0, stream>>>(d_x + 1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static void launchUpdated() {
  cudaGraph_t before = single(false), after = single(true);
  cudaGraphExec_t updated = instantiate(before);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(updated, after, &info));
  CHECK(cudaGraphLaunch(updated, stream));
  CHECK(cudaGraphExecDestroy(updated));
  CHECK(cudaGraphDestroy(before));
  CHECK(cudaGraphDestroy(after));
}

static void launchBuilt() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaMemsetParams set = {};
  set.dst = d_x;
  set.elementSize = 1;
  set.width = 4;
  set.height = 1;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
  cudaGraphExec_t built = instantiate(graph);
  CHECK(cudaGraphLaunch(built, stream));
  CHECK(cudaGraphExecDestroy(built));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_x, 4096));
  cudaGraph_t graph = forked();
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  printf("nodes %zu\n", nodes);
  cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 20; ++i)
    CHECK(cudaGraphLaunch(exec, stream)); // @graph
  launchUpdated();
  launchBuilt();
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(d_x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
}
