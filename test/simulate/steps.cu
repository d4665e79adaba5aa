// Threads that run in steps do what fibers do: divergent barriers, votes, early ends, memory, warps.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_sm90 %cccl %s -o %t %cudart
// RUN: %sim %t | %FileCheck %s
// RUN: %build_simulated_sm90 -O0 %cccl %s -o %t.O0 %cudart
// RUN: %sim %t.O0 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <cooperative_groups.h>
#include <cstring>
#include <vector>

// Each kernel exists twice: an operation that steps do not know, never reached, makes it need fibers.
__device__ int never;
#define AS_ASKED                                                                                   \
  if (Fibers && *(volatile int *)&never)                                                           \
  asm volatile("bar.sync 1, 64;")

struct Big {
  int values[9];
  double factor;
};

// Threads leave early, and others come to barriers as often as they like.
template <bool Fibers> __global__ void leaves(int *out, Big big) {
  AS_ASKED;
  __shared__ int board[256];
  int i = threadIdx.x;
  if (i % 5 == 4)
    return;
  board[i] = i;
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < i % 7; ++round) {
    sum += board[(i + round) % 4];
    board[i] = sum;
    __syncthreads();
    big.values[round] += sum;
  }
  if (i % 3 == 0) {
    sum += 1000;
    __syncthreads();
  } else if (i % 3 == 1) {
    __syncthreads();
    sum += 10 * big.values[i % 9];
    if (i == 1)
      asm volatile("exit;");
    __syncthreads();
  }
  out[i] = sum + int(big.factor);
}

// Votes of those that live, used at once and later.
template <bool Fibers> __global__ void votes(int *out) {
  AS_ASKED;
  int i = threadIdx.x, all = 0;
  for (int round = 0; round < 5; ++round) {
    int count = __syncthreads_count(i % (round + 2) == 0);
    bool every = __syncthreads_and(i < 100 + round * 50), some = __syncthreads_or(i == 40 * round);
    all = all * 7 + count + every * 3 + some * 5;
    if (i == 40 * round + 1)
      return;
  }
  out[i] = all;
}

// Arrays of the thread, pointers to them, structures and values of many types beyond barriers.
template <bool Fibers> __global__ void keeps(int *out, const float *in) {
  AS_ASKED;
  extern __shared__ int dynamic[];
  __shared__ double fixed[64];
  int i = threadIdx.x, n = blockDim.x;
  int own[16];
  short small = short(i * 3);
  bool odd = i & 1;
  double wide = i * 0.25;
  float4 four = make_float4(i, i + 1, i + 2, i + 3);
  for (int k = 0; k < 16; ++k)
    own[k] = i * k;
  int *at = &own[i % 16];
  dynamic[i] = i;
  if (i < 64)
    fixed[i] = wide;
  __syncthreads();
  *at += dynamic[(i + 1) % n];
  own[(i + 5) % 16] += int(fixed[i % 64] * 4);
  __syncthreads();
  dynamic[(i + 7) % n] = *at;
  at = odd ? at : &own[small % 16];
  __syncthreads();
  *at += 1;
  long long sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += (long long)own[k] << (k % 3);
  out[i] = int(sum) + dynamic[i] + small + odd + int(wide) + int(four.x * four.w) + int(in[i % 3]);
}

__device__ int depth(int n) { return n < 2 ? 1 : n + depth(n - 1) + depth(n - 2); }
__device__ __noinline__ int helper(int *board, int i, int n) {
  board[i] += depth(i % 6);
  __syncthreads();
  int got = board[(i + 1) % n];
  __syncthreads();
  return got;
}
// A barrier in a function that calls itself.
__device__ __noinline__ int nested(int *board, int i, int n, int levels) {
  if (!levels)
    return 0;
  board[i] += levels;
  __syncthreads();
  int got = board[(i + levels) % n];
  __syncthreads();
  got += nested(board, i, n, levels - 1) * 3;
  __syncthreads();
  return got + board[(i + 2 * levels) % n] + nested(board, i, n, levels - 1);
}
template <bool Fibers> __global__ void calls(int *out) {
  AS_ASKED;
  __shared__ int board[1024];
  int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int n = blockDim.x * blockDim.y * blockDim.z, sum = 0;
  board[i] = i;
  for (int k = 0; k < 3; ++k)
    sum = sum * 3 + helper(board, i, n) + (k == 1 ? helper(board, i, n) : 0);
  if (i % 2)
    sum += helper(board, i, n);
  out[blockIdx.x * n + i] = sum + threadIdx.y * 5 + threadIdx.z;
}
template <bool Fibers> __global__ void recursive(int *out, int levels) {
  AS_ASKED;
  __shared__ int board[256];
  board[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = nested(board, threadIdx.x, blockDim.x, levels);
}

// Warp operations between barriers, in branches, by lanes of which some have ended.
template <bool Fibers> __global__ void warps(int *out) {
  AS_ASKED;
  __shared__ int board[8];
  int i = threadIdx.x, lane = i % 32, v = i;
  for (int d = 16; d; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  if (lane == 0)
    board[i / 32] = v;
  __syncthreads();
  if (lane == 31 && i >= 128)
    return;
  unsigned most = i >= 128 ? 0x7fffffff : ~0u;
  v = board[i / 32 ^ 1];
  v += __popc(__ballot_sync(most, lane % 3 == 0)) + __any_sync(most, lane == 7);
  float f = __shfl_xor_sync(most, float(lane), 2);
  if (lane < 8)
    v += __reduce_add_sync(0xff, lane) * 3 + __match_any_sync(0xff, lane / 3);
  else if (lane < 20)
    v += __shfl_up_sync(0xfff00, v, 2);
  __syncwarp(most);
  int same = 5;
  unsigned mask = __match_all_sync(most, i / 32, &same);
  v += same + __popc(mask) + __popc(__activemask());
  if (__syncthreads_or(lane == 5 && i > 200))
    v += 100000;
  out[i] = v + int(f);
}

// Memory that others change, in loops: a chain of threads, a lock, a flag between blocks.
__device__ int lock;
template <bool Fibers> __global__ void chains(int *out, volatile int *flags) {
  AS_ASKED;
  __shared__ volatile int next;
  int i = threadIdx.x, b = blockIdx.x;
  if (i == 0)
    next = blockDim.x - 1;
  __syncthreads();
  int looks = 0;
  while (next != i)
    ++looks;
  next = i - 1;
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      out[0] += 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  __syncthreads();
  // Earlier blocks wait for later ones.
  if (i == 3) {
    while (b + 1 < gridDim.x && !flags[b + 1])
      ;
    flags[b] = 1;
  }
  __syncthreads();
  if (looks >= 0)
    atomicAdd(out + 1, 1);
}

// The classic scan in volatile shared memory, and a group of the block.
template <bool Fibers> __global__ void scans(int *data) {
  AS_ASKED;
  volatile __shared__ int board[512];
  auto block = cooperative_groups::this_thread_block();
  int i = threadIdx.x, n = blockDim.x;
  board[i] = 0;
  board[i + n] = data[i];
  for (int by = 1; by < n; by *= 2) {
    block.sync();
    int sum = board[i + n] + board[i + n - by];
    block.sync();
    board[i + n] = sum;
  }
  auto tile = cooperative_groups::tiled_partition<8>(block);
  int most = board[i + n];
  for (int by = 4; by; by /= 2)
    most = max(most, tile.shfl_xor(most, by));
  data[i] = board[i + n] * 1000 + most % 1000;
}
__global__ void grids(int *sums) {
  auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < 3; ++round) {
    atomicAdd(&sums[round], 1 + (round ? sums[round - 1] : 0));
    grid.sync();
  }
}

int *out;
constexpr int Count = 1 << 12;
template <class F> std::vector<int> result(F &&launch) {
  for (int i = 0; i < Count; ++i)
    out[i] = i % 97;
  std::memset(out, 0, 64);
  launch();
  check("no error", int(cudaDeviceSynchronize()), 0);
  return {out, out + Count};
}
void same(const char *what, const std::vector<int> &a, const std::vector<int> &b) {
  for (int i = 0; i < Count; ++i)
    check(what, a[i], b[i]);
}
#define BOTH(kernel, ...)                                                                          \
  same(#kernel, result([&] { kernel<false> __VA_ARGS__; }), result([&] { kernel<true> __VA_ARGS__; }))

int main() {
  cudaMallocManaged(&out, Count * sizeof(int));
  volatile int *flags;
  float *in;
  cudaMallocManaged((int **)&flags, 64 * sizeof(int));
  cudaMallocManaged(&in, 3 * sizeof(float));
  in[0] = 1, in[1] = 20, in[2] = 300;
  for (int threads : {1, 31, 32, 100, 256}) {
    BOTH(leaves, <<<2, threads>>>(out, Big{{1, 2, 3, 4, 5, 6, 7, 8, 9}, 2.5}));
    BOTH(votes, <<<1, threads>>>(out));
    BOTH(keeps, <<<1, threads, threads * sizeof(int)>>>(out, in));
    BOTH(recursive, <<<1, threads>>>(out, 4));
  }
  for (dim3 block : {dim3(4, 3, 5), dim3(1, 64), dim3(7, 11, 13), dim3(1024)})
    BOTH(calls, <<<3, block>>>(out));
  BOTH(warps, <<<1, 256>>>(out));
  for (int i = 0; i < 3; ++i) {
    auto counts = result([&] {
      for (int b = 0; b < 64; ++b)
        flags[b] = 0;
      chains<false><<<40, 96>>>(out, flags);
    });
    check("locked", counts[0], 40 * 96);
    check("chained", counts[1], 40 * 96);
  }
  BOTH(scans, <<<1, 256>>>(out));
  auto sums = result([&] {
    void *arguments[] = {&out};
    cudaLaunchCooperativeKernel((void *)grids, dim3(4), dim3(64), arguments, 0, 0);
  });
  check("first grid sum", sums[0], 256);
  check("second grid sum", sums[1], 256 * 257);
  check("third grid sum", sums[2], 256 * (1 + 256 * 257));
  cudaFree(out), cudaFree((void *)flags), cudaFree(in);
  return failed();
}
