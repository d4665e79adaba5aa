// A thread whose stack has no room for the runtime works on the same memory, and ends handles: its
// calls are unseen, so nothing that they could contradict is said.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// FLAGS: -pthread
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// BUILD: clang-O0 clang-O2
// EXPECT-NO: * proven
// EXPECT-NO: unused-allocation
// EXPECT-NO: dead-copy
// EXPECT-NOTE: small stacks:*
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <limits.h>
#include <pthread.h>

constexpr int N = 1 << 12;
constexpr size_t Bytes = N * sizeof(float);

struct Shared {
  float *d_table, *d_own;
  cudaStream_t stream;
  std::vector<float> other = noise(N, 2), back = std::vector<float>(N);
  int round = 0;
};

static void *work(void *argument) {
  Shared &shared = *static_cast<Shared *>(argument);
  CHECK(cudaMemcpyAsync(shared.back.data(), shared.d_table, Bytes, cudaMemcpyDeviceToHost,
                        shared.stream));
  CHECK(cudaStreamSynchronize(shared.stream));
  CHECK(cudaMemcpy(shared.d_own, shared.back.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(shared.back.data(), shared.d_own, Bytes, cudaMemcpyDeviceToHost));
  if (shared.round % 16 == 9)
    CHECK(cudaMemcpy(shared.d_table, shared.other.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaStreamDestroy(shared.stream));
  return nullptr;
}

int main() {
  Shared shared;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 8192);
  const std::vector<float> table = noise(N);
  unsigned sum = 0;
  CHECK(cudaMalloc(&shared.d_table, Bytes));
  CHECK(cudaMalloc(&shared.d_own, Bytes));
  for (; shared.round < 100; ++shared.round) {
    CHECK(cudaStreamCreate(&shared.stream));
    CHECK(cudaMemcpy(shared.d_table, table.data(), Bytes, cudaMemcpyHostToDevice));
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, &shared))
      return 1;
    pthread_join(thread, nullptr);
    sum += checksum(shared.back);
  }
  printf("%08x\n", sum);
  CHECK(cudaFree(shared.d_table));
  CHECK(cudaFree(shared.d_own));
}
