// Every other upload of a line brings what the buffer holds already, those between bring other bytes
// behind a kernel that may wait, where nobody can look: they are none of the repeats. Where that
// kernel had ended by chance one may be looked at, and the finding is advice.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT-NO: noop-copy line=@send count>=110
// OPTIONS: budget=100
// EXPECT: noop-copy line=@send count>=10
#include "../../Inputs/check.h"

#include <cuda_runtime.h>
#include <string.h>

constexpr int Count = 4096, Bytes = Count * 8;

__global__ void load(double *buffer, const double *x, int from, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[i] = x[from + i] + round;
}

__global__ void unload(const double *buffer, double *x, int to, const volatile int *done, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[to + i] = buffer[i];
  while (*done < round) {
  }
}

static void pack(char *out, double *buffer, double *x, int from, int round) {
  load<<<Count / 256, 256>>>(buffer, x, from, round);
  CHECK(cudaMemcpyAsync(out, buffer, Bytes, cudaMemcpyDeviceToHost, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
}

static volatile int *done;

static void unpack(const char *in, double *buffer, double *x, int to, int round) {
  CHECK(cudaMemcpyAsync(buffer, in, Bytes, cudaMemcpyHostToDevice, nullptr)); // @send
  unload<<<Count / 256, 256>>>(buffer, x, to, done, round);
}

int main() {
  double *x, *buffer, *host;
  char *sent[2], *received[2];
  CHECK(cudaMalloc(&x, 4 * Bytes));
  CHECK(cudaMalloc(&buffer, Bytes));
  host = static_cast<double *>(malloc(4 * Bytes));
  for (int i = 0; i < 4 * Count; ++i)
    host[i] = i % 977;
  CHECK(cudaMemcpy(x, host, 4 * Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaHostAlloc((void **)&done, sizeof *done, cudaHostAllocMapped));
  *done = 0;
  for (char **side : {sent, received})
    for (int i = 0; i < 2; ++i)
      CHECK(cudaMallocHost(&side[i], Bytes));
  for (int round = 1; round <= 60; ++round) {
    pack(sent[0], buffer, x, Count, round);
    pack(sent[1], buffer, x, 2 * Count, round);
    memcpy(received[0], sent[1], Bytes);
    memcpy(received[1], sent[0], Bytes);
    unpack(received[0], buffer, x, 0, round);         // what the buffer holds already
    unpack(received[1], buffer, x, 3 * Count, round); // other bytes
    *done = round;
  }
  CHECK(cudaMemcpy(host, x, 4 * Bytes, cudaMemcpyDeviceToHost));
  printf("%g\n", host[5]);
  CHECK(cudaFreeHost((void *)done));
  CHECK(cudaFree(x));
  CHECK(cudaFree(buffer));
  for (char **side : {sent, received})
    for (int i = 0; i < 2; ++i)
      CHECK(cudaFreeHost(side[i]));
  free(host);
}
