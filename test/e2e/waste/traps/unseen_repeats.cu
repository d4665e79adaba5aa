// Repeats that nobody could look at, behind a kernel that waits: one of them brought other bytes. Before the first look
// or behind the last, no tag says what a copy sends.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=full
// EXPECT-NO: noop-copy proven line=@late
// EXPECT-NO: noop-copy proven line=@early count>=8
// EXPECT: noop-copy proven line=@early count=7
// EXPECT: noop-copy proven line=@closed count=8
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14, Rounds = 9, Bytes = 4 * N;

__global__ void await(const volatile int *flag, float *x) {
  while (!*flag)
    ;
  x[globalThread()] += 1;
}

void launch(const volatile int *flag, float *x, cudaStream_t stream) {
  await<<<N / 256, 256, 0, stream>>>(flag, x);
  CHECK(cudaGetLastError());
}

int main() {
  std::vector<float> data = noise(N), out(N);
  float *d_in, *d_late, *d_early, *d_closed, *d_other;
  int *flag;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&flag, 4));
  for (float **memory : {&d_in, &d_late, &d_early, &d_closed, &d_other}) {
    CHECK(cudaMalloc(memory, Bytes));
    CHECK(cudaMemcpy(*memory, data.data(), Bytes, cudaMemcpyHostToDevice));
  }
  *flag = 0;
  for (int round = 1; round <= Rounds; ++round) { // the last two wait, and the first of them brings news
    if (round == Rounds - 1)
      launch(flag, d_in, stream);
    CHECK(cudaMemcpyAsync(d_late, d_in, Bytes, cudaMemcpyDeviceToDevice, stream)); // @late
  }
  *static_cast<volatile int *>(flag) = 1;
  CHECK(cudaStreamSynchronize(stream));
  for (int round = 1; round <= Rounds; ++round) { // the second one
    *static_cast<volatile int *>(flag) = round != 2;
    if (round == 2)
      launch(flag, d_in, stream);
    CHECK(cudaMemcpyAsync(d_early, d_in, Bytes, cudaMemcpyDeviceToDevice, stream)); // @early
    *static_cast<volatile int *>(flag) = 1;
    CHECK(cudaStreamSynchronize(stream));
  }
  *static_cast<volatile int *>(flag) = 0;
  for (int round = 1; round <= Rounds; ++round) { // the last two wait, and bring the same: seen before the free
    if (round == Rounds - 1)
      launch(flag, d_other, stream);
    CHECK(cudaMemcpyAsync(d_closed, d_in, Bytes, cudaMemcpyDeviceToDevice, stream)); // @closed
  }
  *static_cast<volatile int *>(flag) = 1;
  CHECK(cudaStreamSynchronize(stream));
  for (float *memory : {d_in, d_late, d_early, d_closed, d_other}) {
    CHECK(cudaMemcpy(out.data(), memory, Bytes, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
    CHECK(cudaFree(memory));
  }
  CHECK(cudaFreeHost(flag));
  CHECK(cudaStreamDestroy(stream));
}
