// What a kernel has computed comes back for a check, and once more for the file, to where it is
// already: once at the end, and in each round of a loop. Where the host has changed some of it, the
// second download is needed, and where the first one does not block, the second one waits for it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip proven line=@again related=@first count=1
// EXPECT: roundtrip proven line=@each related=@check count=6
// EXPECT-REPORT[!twin]: *the host has the bytes that it got at*
// EXPECT-NO: roundtrip line=@first
// EXPECT-NO: roundtrip line=@check
// EXPECT-NO: roundtrip line=@back
// EXPECT-NO: roundtrip line=@waits
// EXPECT-NO: roundtrip line=@ends
// EXPECT-NO[twin]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void growAt(unsigned i, float *x) { x[i] = x[i] * 1.25f + 1; }
__global__ void grow(float *x) { growAt(globalThread(), x); }
SIMULATED(grow, growAt)

static void step(float *x) {
  grow<<<N / 256, 256>>>(x);
  CHECK(cudaGetLastError());
}

int main() {
  std::vector<float> field = noise(N), small = noise(64), changed = noise(N);
  float *x, *y, *z;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&y, 4 * N));
  CHECK(cudaMalloc(&z, 4 * N));
  CHECK(cudaMemcpy(x, field.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(y, field.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(z, field.data(), 4 * N, cudaMemcpyHostToDevice));
  step(x);
  CHECK(cudaMemcpy(field.data(), x, 4 * N, cudaMemcpyDeviceToHost)); // @first
  printf("%08x\n", checksum(field));
#ifndef FIXED
  CHECK(cudaMemcpy(field.data(), x, 4 * N, cudaMemcpyDeviceToHost)); // @again
#endif
  printf("%08x\n", checksum(field));
  for (int round = 0; round < 6; ++round) {
    step(y);
    CHECK(cudaMemcpy(small.data(), y, 256, cudaMemcpyDeviceToHost)); // @check
    printf("%08x\n", checksum(small));
#ifndef FIXED
    CHECK(cudaMemcpy(small.data(), y, 256, cudaMemcpyDeviceToHost)); // @each
#endif
    printf("%08x\n", checksum(small));
  }
  for (int round = 0; round < 6; ++round) {
    step(z);
    CHECK(cudaMemcpy(changed.data(), z, 4 * N, cudaMemcpyDeviceToHost)); // @look
    changed[round] += 1;
    printf("%08x\n", checksum(changed));
    CHECK(cudaMemcpy(changed.data(), z, 4 * N, cudaMemcpyDeviceToHost)); // @back
    printf("%08x\n", checksum(changed));
  }
  float *pinned;
  CHECK(cudaMallocHost(&pinned, 4 * N));
  for (int round = 0; round < 6; ++round) {
    step(z);
    CHECK(cudaMemcpyAsync(pinned, z, 4 * N, cudaMemcpyDeviceToHost)); // @queued
    CHECK(cudaMemcpy(pinned, z, 4 * N, cudaMemcpyDeviceToHost)); // @waits
    printf("%08x\n", checksum(std::vector<float>(pinned, pinned + N)));
  }
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < N; ++i)
      pinned[i] = float(i) * 0.5f + float(round);
    CHECK(cudaMemcpy(z, pinned, 4 * N, cudaMemcpyHostToDevice));
    for (int i = 0; i < N; ++i)
      pinned[i] = 0;
    CHECK(cudaMemcpyAsync(pinned, z, 4 * N, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(pinned, z, 4 * N, cudaMemcpyDeviceToHost)); // @ends
    printf("%08x\n", checksum(std::vector<float>(pinned, pinned + N)));
  }
  CHECK(cudaFreeHost(pinned));
  for (float *d : {x, y, z})
    CHECK(cudaFree(d));
}
