// Trap: what a table leads to, whose addresses a batch of copies brought, is used. No call names it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT-NO: unused-allocation
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

struct Views {
  const float *in;
  float *work;
};

__host__ __device__ inline void smoothAt(unsigned i, const Views *views, float *out) {
  views->work[i] = 2 * views->in[i];
  out[i] += views->work[i];
}
__global__ void smooth(const Views *views, float *out) { smoothAt(globalThread(), views, out); }
SIMULATED(smooth, smoothAt)

constexpr int N = 1 << 12;

int main() {
  float *d_in, *d_work, *d_out;
  Views *d_views;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_work, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMalloc(&d_views, sizeof(Views)));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  const Views views = {d_in, d_work};
  void *to[] = {&d_views->in, &d_views->work};
  const void *from[] = {&views.in, &views.work};
  size_t bytes[] = {sizeof(float *), sizeof(float *)}, first[] = {0};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, first, 1, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> in = noise(N, round);
    CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice));
    smooth<<<N / 256, 256>>>(d_views, d_out);
    CHECK(cudaGetLastError());
  }
  std::vector<float> out(N);
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaStreamDestroy(stream));
  for (void *p : {(void *)d_in, (void *)d_work, (void *)d_out, (void *)d_views})
    CHECK(cudaFree(p));
}
