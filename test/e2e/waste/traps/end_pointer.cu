// A kernel gets the end of an array, which is where the next one begins, and steps back from it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ENV: GPUINSTR_SIM=check=off
// OPTIONS: audit=full
// EXPECT: noop-copy proven line=@forwards
// EXPECT: noop-copy likely line=@may
// EXPECT: noop-copy likely line=@captured
// EXPECT-NO: noop-copy proven line=@may
// EXPECT-NO: noop-copy proven line=@captured
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include <algorithm>

constexpr int N = 1 << 19, Rounds = 8;

__host__ __device__ inline void markAt(unsigned i, float *end, int flag) {
  if (flag)
    end[-1 - int(i)] = 0;
}
__global__ void mark(float *end, int flag) { markAt(globalThread(), end, flag); }
SIMULATED(mark, markAt)

__host__ __device__ inline void reverseAt(unsigned i, float *out, const float *end) {
  end -= i;
  out[i] += *--end;
}
__global__ void reverse(float *out, const float *end) { reverseAt(globalThread(), out, end); }
SIMULATED(reverse, reverseAt)

__host__ __device__ inline void scaleAt(unsigned i, float *x) { x[i] *= 0.5F; }
__global__ void scale(float *x) { scaleAt(globalThread(), x); }
SIMULATED(scale, scaleAt)

int main() {
  float *all[8]; // where they lie side by side, each ends where the next one begins
  for (float *&one : all)
    CHECK(cudaMalloc(&one, 4 * N));
  std::sort(std::begin(all), std::end(all));
  float *marked = all[0], *captured = all[1], *out = all[2], *sent = all[3], *kept = all[4],
        *scaled = all[5];
  CHECK(cudaMemset(all[6], 0, 4 * N));
  CHECK(cudaMemset(all[7], 0, 4 * N));
  CHECK(cudaMemset(out, 0, 4 * N));
  CHECK(cudaMemset(scaled, 0, 4 * N));
  std::vector<float> same = noise(N, 1), in(N), result(N);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  mark<<<N / 256, 256, 0, stream>>>(captured + N, 0);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&run, graph, 0));
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(kept, same.data(), 4 * N, cudaMemcpyHostToDevice)); // @forwards
    scale<<<N / 256, 256>>>(scaled);
    scale<<<N / 256, 256>>>(all[6]);
    scale<<<N / 256, 256>>>(all[7]);
    CHECK(cudaMemcpy(marked, same.data(), 4 * N, cudaMemcpyHostToDevice)); // @may
    mark<<<N / 256, 256>>>(marked + N, 0);
    CHECK(cudaMemcpy(captured, same.data(), 4 * N, cudaMemcpyHostToDevice)); // @captured
    CHECK(cudaGraphLaunch(run, stream));
    CHECK(cudaStreamSynchronize(stream));
    in = noise(N, unsigned(2 + round));
    CHECK(cudaMemcpy(sent, in.data(), 4 * N, cudaMemcpyHostToDevice));
    reverse<<<N / 256, 256>>>(out, sent + N);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(result.data(), out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  CHECK(cudaMemcpy(result.data(), scaled, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  CHECK(cudaGraphExecDestroy(run));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  for (float *one : all)
    CHECK(cudaFree(one));
}
