// Trap: asynchronous uploads whose sources are read later, or may be: pinned memory, memory that is registered once
// the first rounds are over, managed memory on either side, a graph's copy, which reads the host's memory at each
// launch. So may those of rows, of a variable and to an array be: nobody says how these are done.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12, Row = 256;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

__constant__ float table[Row];

static cudaStream_t stream;
static float *d_x;

static void run(int i) { step<<<N / 256, 256, 0, stream>>>(d_x, 0.5f + float(i) / 16); }

/// The host writes there, behind a wait.
template <class Upload> static void rounds(float *from, int count, Upload upload) {
  for (int i = 0; i < count; ++i) {
    upload(from);
    CHECK(cudaStreamSynchronize(stream));
    from[0] = float(i);
    run(i);
  }
}

static void linear(const float *from) {
  CHECK(cudaMemcpyAsync(d_x, from, 4 * N, cudaMemcpyHostToDevice, stream));
}

static void ofGraph(float *from) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  linear(from);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  rounds(from, 8, [&](const float *) { CHECK(cudaGraphLaunch(exec, stream)); });
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  float *pinned, *managed;
  std::vector<float> x = noise(N);
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMallocHost(&pinned, 4 * N));
  CHECK(cudaMallocManaged(&managed, 4 * N));
  for (int i = 0; i < N; ++i)
    pinned[i] = managed[i] = x[i];
  rounds(pinned, 8, linear);
  rounds(managed, 8, linear);
  rounds(x.data(), 8, [&](const float *from) {
    CHECK(cudaMemcpyAsync(managed, from, 4 * N, cudaMemcpyHostToDevice, stream));
  });
  rounds(x.data(), 8, [](const float *from) {
    CHECK(cudaMemcpy2DAsync(d_x, 4 * Row, from, 4 * Row, 4 * Row, N / Row, cudaMemcpyHostToDevice, stream));
  });
  rounds(x.data(), 8, [](const float *from) {
    CHECK(cudaMemcpyToSymbolAsync(table, from, 4 * Row, 0, cudaMemcpyHostToDevice, stream));
  });
  ofGraph(x.data());
  rounds(x.data(), 2, linear);
  CHECK(cudaHostRegister(x.data(), 4 * N, cudaHostRegisterDefault));
  rounds(x.data(), 8, linear);
  CHECK(cudaHostUnregister(x.data()));
  CHECK(cudaMemcpyAsync(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(d_x));
  CHECK(cudaStreamDestroy(stream));
}
