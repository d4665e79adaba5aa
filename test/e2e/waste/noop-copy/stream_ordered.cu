// All in the order of one stream: memory of the pool, pinned buffers, waits for the stream alone.
// The same table is copied within the device before every step, and its sums come back unchanged.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy function=main line=@copy variable=d_work count=19 bytes=19MiB
// EXPECT: noop-copy function=main line=@back variable=h_sums count=19
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 18, Steps = 20;

__host__ __device__ inline void addAt(unsigned i, const float *work, float *out) {
  out[i] += work[i];
}
__global__ void add(const float *work, float *out) { addAt(globalThread(), work, out); }
SIMULATED(add, addAt)

int main() {
  float *h_table, *h_sums, *d_table, *d_work, *d_sums, *d_out;
  cudaStream_t stream;
  CHECK(cudaMallocHost(&h_table, N * 4));
  CHECK(cudaMallocHost(&h_sums, N * 4));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocAsync(&d_table, N * 4, stream));
  CHECK(cudaMallocAsync(&d_work, N * 4, stream));
  CHECK(cudaMallocAsync(&d_sums, N * 4, stream));
  CHECK(cudaMallocAsync(&d_out, N * 4, stream));
  memcpy(h_table, noise(N).data(), N * 4);
  CHECK(cudaMemcpyAsync(d_table, h_table, N * 4, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(d_sums, h_table, N * 4, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemsetAsync(d_out, 0, N * 4, stream));
  for (int step = 0; step < Steps; ++step) {
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpyAsync(d_work, d_table, N * 4, cudaMemcpyDeviceToDevice, stream)); // @copy
    add<<<N / 256, 256, 0, stream>>>(d_work, d_out);
    CHECK(cudaGetLastError());
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpyAsync(h_sums, d_sums, N * 4, cudaMemcpyDeviceToHost, stream)); // @back
    CHECK(cudaStreamSynchronize(stream));
    printf("%d: %08x\n", step, checksum(h_sums, N * 4));
  }
  CHECK(cudaMemcpyAsync(h_sums, d_out, N * 4, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(h_sums, N * 4));
  for (float *memory : {d_table, d_work, d_sums, d_out})
    CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(h_table));
  CHECK(cudaFreeHost(h_sums));
}
