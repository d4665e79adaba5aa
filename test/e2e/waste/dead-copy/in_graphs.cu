// What a graph copies is read by its own kernels: in one made by hand, by a kernel that nobody looked into; in a
// captured one by those captured behind it, or by another of its copies. And its kernels read what was there before its copies. A captured copy that
// no kernel comes behind is dead, where the program overwrites it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT: dead-copy likely line=@dead count=6
// EXPECT-ALL
// EXPECT-NO: dead-copy line=@read
// EXPECT-NO: dead-copy line=@before
// EXPECT-NO: dead-copy line=@wiped
// EXPECT-NO: dead-copy line=@back
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14, Rounds = 6;

__host__ __device__ inline void moveAt(unsigned i, float *to, const float *from) { to[i] = from[i] + 1; }
__global__ void move(float *to, const float *from) { moveAt(globalThread(), to, from); }
SIMULATED(move, moveAt)

static float *x, *results; // of the host, pinned

static void show(const float *d_y, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(results, d_y, 4 * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(results, 4 * N));
}

static void byHand(float *d_x, float *d_y, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t copy, kernel;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, d_x, x, 4 * N, // @read
                                 cudaMemcpyHostToDevice));
  void *arguments[] = {&d_y, &d_x};
  cudaKernelNodeParams node = {};
  node.func = (void *)move;
  node.gridDim = dim3(N / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &node));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < Rounds; ++round) {
    x[round] += 1;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemsetAsync(d_x, round, 4 * N, stream)); // @wiped
    move<<<N / 256, 256, 0, stream>>>(d_y, d_x);
    show(d_y, stream);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void captured(float *d_x, float *d_y, const float *late, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  move<<<N / 256, 256, 0, stream>>>(d_y, d_x);
  CHECK(cudaMemcpyAsync(d_x, late, 4 * N, cudaMemcpyHostToDevice, stream)); // @dead
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < Rounds; ++round) {
    x[round] += 1;
    CHECK(cudaMemcpyAsync(d_x, x, 4 * N, cudaMemcpyHostToDevice, stream)); // @before
    CHECK(cudaGraphLaunch(exec, stream));
    show(d_y, stream);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// What it sends it brings back.
static void broughtBack(float *d_x, float *d_y, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMemcpyAsync(d_x, x, 4 * N, cudaMemcpyHostToDevice, stream)); // @back
  CHECK(cudaMemcpyAsync(results, d_x, 4 * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int round = 0; round < Rounds; ++round) {
    x[round] += 1;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(results, 4 * N));
    CHECK(cudaMemsetAsync(d_x, round, 4 * N, stream));
    move<<<N / 256, 256, 0, stream>>>(d_y, d_x);
    show(d_y, stream);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  std::vector<float> values = noise(N), others = noise(N);
  float *late, *d_x, *d_y;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&x, 4 * N));
  CHECK(cudaMallocHost(&late, 4 * N));
  CHECK(cudaMallocHost(&results, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  std::copy(values.begin(), values.end(), x);
  for (int i = 0; i < N; ++i)
    late[i] = 2 * others[i];
  byHand(d_x, d_y, stream);
  broughtBack(d_x, d_y, stream);
  captured(d_x, d_y, late, stream);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFreeHost(x));
  CHECK(cudaFreeHost(late));
  CHECK(cudaFreeHost(results));
}
