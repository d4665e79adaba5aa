// The host is far ahead: when it is known what a buffer of the pool got, that one has been freed
// and others have come. One that a kernel changed has to be filled again.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload likely function=main line=@again count>=30
// EXPECT-NO: * proven
// EXPECT-NO: reupload line=@changed
// EXPECT-NO: reupload line=@news
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;
constexpr size_t Bytes = N * sizeof(float);

__host__ __device__ inline void addAt(unsigned i, float *sum, const float *x) { sum[i] += x[i]; }
__global__ void add(float *sum, const float *x) { addAt(globalThread(), sum, x); }
SIMULATED(add, addAt)

int main() {
  float *d_sum, *d_table, *d_state, *d_input;
  const std::vector<float> table = noise(N, 1), state = noise(N, 2);
  std::vector<float> sum(N);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_sum, Bytes));
  CHECK(cudaMemset(d_sum, 0, Bytes));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 40; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
    {
      CHECK(cudaMallocAsync(&d_table, Bytes, stream));
      CHECK(cudaMemcpyAsync(d_table, table.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @again
    }
    add<<<N / 256, 256, 0, stream>>>(d_sum, d_table);
#ifdef FIXED
    if (round == 39)
#endif
      CHECK(cudaFreeAsync(d_table, stream));

    CHECK(cudaMallocAsync(&d_state, Bytes, stream));
    CHECK(cudaMemcpyAsync(d_state, state.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @changed
    add<<<N / 256, 256, 0, stream>>>(d_state, d_sum);
    add<<<N / 256, 256, 0, stream>>>(d_sum, d_state);
    CHECK(cudaFreeAsync(d_state, stream));

    const std::vector<float> input = noise(N, 10 + round);
    CHECK(cudaMallocAsync(&d_input, Bytes, stream));
    CHECK(cudaMemcpyAsync(d_input, input.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @news
    add<<<N / 256, 256, 0, stream>>>(d_sum, d_input);
    CHECK(cudaFreeAsync(d_input, stream));
  }
  CHECK(cudaMemcpyAsync(sum.data(), d_sum, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_sum));
  CHECK(cudaStreamDestroy(stream));
}
