// Host functions of graphs write what the graph, or a copy behind it, sends: what the calls see in
// host memory is not what arrives.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: * likely
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
// EXPECT-NO: roundtrip
// EXPECT-NO: uniform-upload
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <string.h>
#include <thread>

constexpr int N = 1 << 16, Bytes = 4 * N, Rounds = 6;

__host__ __device__ inline void sumAt(unsigned i, const float *in, float *out) { out[i] += 1 + in[i]; }
__global__ void sum(const float *in, float *out) { sumAt(globalThread(), in, out); }
SIMULATED(sum, sumAt)

static float *h, *out; // of the host, pinned
static float *d_x, *d_y;
static cudaStream_t stream, side;
static cudaEvent_t event;
static std::atomic<int> submitted{0}, frame{0};

/// Once the call that looked is back.
static void fillLate(void *round) {
  while (submitted < *static_cast<int *>(round))
    std::this_thread::yield();
  memcpy(h, noise(N, ++frame).data(), Bytes);
}
static void nothing(void *) {}

static void use() { sum<<<N / 256, 256, 0, stream>>>(d_x, d_y); }
static void show() {
  CHECK(cudaMemcpyAsync(out, d_y, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out, Bytes));
}
static cudaGraphExec_t ended() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}
static void begin() { CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); }

/// Zeroes are there while the call is made; the host function brings others.
template <class Behind> static void rounds(cudaGraphExec_t exec, int &round, Behind behind) {
  for (round = 1; round <= Rounds; ++round) {
    submitted = 0;
    memset(h, 0, Bytes);
    CHECK(cudaGraphLaunch(exec, stream));
    behind();
    submitted = round;
    CHECK(cudaStreamSynchronize(stream));
    show();
  }
  CHECK(cudaGraphExecDestroy(exec));
}

static void copyBehindFunction(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  use();
  rounds(ended(), round, [] {});
}

static void copyBehindOtherStream(int &round) {
  begin();
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(side, event, 0));
  CHECK(cudaLaunchHostFunc(side, fillLate, &round));
  CHECK(cudaEventRecord(event, side));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaLaunchHostFunc(stream, nothing, nullptr));
  use();
  rounds(ended(), round, [] {});
}

static void byHand(int &round) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t function, copy, kernel;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaHostNodeParams host = {};
  host.fn = fillLate;
  host.userData = &round;
  CHECK(cudaGraphAddHostNode(&function, graph, nullptr, 0, &host));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &function, 1, d_x, h, Bytes, cudaMemcpyHostToDevice));
  void *arguments[] = {&d_x, &d_y};
  cudaKernelNodeParams node = {};
  node.func = (void *)sum;
  node.gridDim = dim3(N / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &node));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  rounds(exec, round, [] {});
}

/// Within another one, before the copy.
static void inChild(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  cudaGraph_t inner, outer;
  cudaGraphExec_t exec;
  cudaGraphNode_t child, copy;
  CHECK(cudaStreamEndCapture(stream, &inner));
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, outer, &child, 1, d_x, h, Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaGraphInstantiateWithFlags(&exec, outer, 0));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphDestroy(inner));
  rounds(exec, round, [] { use(); });
}

/// The copy is none of the graph's.
static void copyBehindGraph(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  rounds(ended(), round, [] {
    CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
    use();
  });
}

int main() {
  int round = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMallocHost(&h, Bytes));
  CHECK(cudaMallocHost(&out, Bytes));
  CHECK(cudaMalloc(&d_x, Bytes));
  CHECK(cudaMalloc(&d_y, Bytes));
  CHECK(cudaMemset(d_y, 0, Bytes));
  copyBehindFunction(round);
  copyBehindOtherStream(round);
  byHand(round);
  inChild(round);
  copyBehindGraph(round);
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(side));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFreeHost(h));
  CHECK(cudaFreeHost(out));
}
