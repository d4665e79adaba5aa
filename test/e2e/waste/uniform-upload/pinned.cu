// Zeroes come from pinned memory, in the program's stream: to one accumulator again and again, and
// in chunks to a large one. What a host function, or the device, may put there first is not known.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: uniform-upload advice function=main line=@again variable=d_sum count=1 bytes=262144
// EXPECT: uniform-upload advice function=main line=@chunks variable=d_all count=4 bytes=1MiB
// EXPECT-NO: uniform-upload line=@late
// EXPECT-NO: uniform-upload line=@back
// EXPECT-NO: reupload
// EXPECT-NO[twin]: uniform-upload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 16; // floats, of a chunk

__host__ __device__ inline void addAt(unsigned i, float by, float *sum) { sum[i] += by + float(i); }
__global__ void add(float by, float *sum) { addAt(globalThread(), by, sum); }
SIMULATED(add, addAt)

static void fill(void *memory) { memcpy(memory, noise(N, 5).data(), 4 * N); }

int main() {
  float *late, *d_sum, *d_all;
  std::vector<float> sum(4 * N);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
#ifndef FIXED
  float *zeroes;
  CHECK(cudaMallocHost(&zeroes, 4 * N));
  memset(zeroes, 0, 4 * N);
#endif
  CHECK(cudaMallocHost(&late, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMalloc(&d_all, 4 * 4 * N));
  uint32_t check = 0;
  for (int round = 0; round < 50; ++round) {
#ifdef FIXED
    CHECK(cudaMemsetAsync(d_sum, 0, 4 * N, stream));
#else
    CHECK(cudaMemcpyAsync(d_sum, zeroes, 4 * N, cudaMemcpyHostToDevice, stream)); // @again
#endif
    add<<<N / 256, 256, 0, stream>>>(float(round), d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    check += checksum(sum.data(), 4 * N);
  }
#ifdef FIXED
  CHECK(cudaMemsetAsync(d_all, 0, 4 * 4 * N, stream));
#else
  for (int chunk = 0; chunk < 4; ++chunk)
    CHECK(cudaMemcpyAsync(d_all + chunk * N, zeroes, 4 * N, cudaMemcpyHostToDevice, stream)); // @chunks
#endif
  add<<<4 * N / 256, 256, 0, stream>>>(1.0f, d_all);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));

  memset(late, 0, 4 * N);
  CHECK(cudaLaunchHostFunc(stream, fill, late));
  CHECK(cudaMemcpyAsync(d_sum, late, 4 * N, cudaMemcpyHostToDevice, stream)); // @late
  add<<<N / 256, 256, 0, stream>>>(1.0f, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(late, d_sum, 4 * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  memset(late, 0, 4 * N); // it could be the device's as well
  CHECK(cudaMemcpyAsync(d_all, late, 4 * N, cudaMemcpyHostToDevice, stream)); // @back
  add<<<4 * N / 256, 256, 0, stream>>>(1.0f, d_all);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(sum.data(), d_all, 4 * 4 * N, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", check + checksum(sum));
  CHECK(cudaStreamDestroy(stream));
#ifndef FIXED
  CHECK(cudaFreeHost(zeroes));
#endif
  CHECK(cudaFreeHost(late));
  CHECK(cudaFree(d_sum));
  CHECK(cudaFree(d_all));
}
