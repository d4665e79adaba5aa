// Trap: blocks of arguments that kernels may write by way of the pointers in them, which they seldom
// do: one has a pointer into itself, one lies in one piece of memory with what its pointers lead to,
// and one is led to by another one. The host restores each before each launch.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 256, Rounds = 12;

struct Block {
  int *failures;
  const float *in;
  float *out;
  int limit, failed;
};

__host__ __device__ inline void stepAt(unsigned i, const Block *block) {
  block->out[i] += block->in[i];
  if (block->out[i] > float(block->limit))
    *block->failures = 1;
}
__global__ void step(const Block *block) { stepAt(globalThread(), block); }
SIMULATED(step, stepAt)

static float *made(size_t bytes) {
  char *d;
  CHECK(cudaMalloc(&d, bytes));
  CHECK(cudaMemset(d, 0, bytes));
  return reinterpret_cast<float *>(d);
}

int main() {
  std::vector<float> in = noise(N), out(N);
  float *d_in = made(N * 4), *d_out = made(N * 4), *arena = made(8192);
  auto *d_own = reinterpret_cast<Block *>(made(sizeof(Block)));
  auto *d_led = reinterpret_cast<Block *>(made(sizeof(Block)));
  auto *d_other = reinterpret_cast<Block *>(made(sizeof(Block)));
  auto *d_inArena = reinterpret_cast<Block *>(arena);
  auto *flag = reinterpret_cast<int *>(made(4));
  CHECK(cudaMemcpy(d_in, in.data(), N * 4, cudaMemcpyHostToDevice));
  const Block own{&d_own->failed, d_in, d_out, 1 << 20, 0};
  const Block inArena{flag, d_in, arena + 1024, 1 << 20, 0};
  const Block led{flag, d_in, d_out, 1 << 20, 0}, other{&d_led->failed, d_in, d_out, 1 << 20, 0};
  CHECK(cudaMemcpy(d_other, &other, sizeof other, cudaMemcpyHostToDevice));
  for (int i = 0; i < Rounds; ++i) {
    CHECK(cudaMemcpy(d_own, &own, sizeof own, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_inArena, &inArena, sizeof inArena, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_led, &led, sizeof led, cudaMemcpyHostToDevice));
    for (const Block *block : {d_own, d_inArena, d_led, d_other})
      step<<<1, N>>>(block);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  for (void *d : {(void *)d_in, (void *)d_out, (void *)arena, (void *)d_own, (void *)d_led,
                  (void *)d_other, (void *)flag})
    CHECK(cudaFree(d));
}
