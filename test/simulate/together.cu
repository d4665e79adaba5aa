// Threads that need each other: warp operations, block votes, atomics, a spin lock, calls by pointer.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated %s -o %t %cudart
// RUN: %sim %t | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

__device__ int lock, inside, total;
__device__ unsigned wrapping;
__device__ double sum;

__global__ void warp(int *out) {
  int lane = threadIdx.x & 31, v = threadIdx.x;
  for (int d = 16; d; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  int *mine = out + threadIdx.x * 8;
  mine[0] = __shfl_sync(~0u, v, 0);
  mine[1] = __ballot_sync(~0u, lane % 2);
  mine[2] = __any_sync(~0u, lane == 5) + 2 * __all_sync(~0u, lane < 31);
  mine[3] = __shfl_xor_sync(~0u, lane, 1);
  mine[4] = __match_any_sync(~0u, lane / 8);
  mine[5] = __popc(__activemask());
  mine[6] = __syncthreads_count(threadIdx.x % 3 == 0);
  mine[7] = lane < 10 ? __shfl_up_sync(0x3ff, lane, 1) : -1;
}
__global__ void atomics(int *out) {
  atomicAdd(&total, threadIdx.x);
  atomicInc(&wrapping, 9);
  atomicAdd(&sum, 0.5);
  atomicMax(out, int(threadIdx.x + blockIdx.x * blockDim.x));
  atomicCAS(out + 1, 0, 42);
  atomicExch_system(out + 2, 7);
  atomicOr_block(out + 3, 1 << (threadIdx.x % 8));
}
__global__ void locked(int *out) {
  while (atomicCAS(&lock, 0, 1))
    ;
  __threadfence();
  out[0] += 1;
  __threadfence();
  atomicExch(&lock, 0);
}
// The first thread waits for the last one.
__global__ void handed(volatile int *flag) {
  if (threadIdx.x == 0)
    while (!*flag)
      ;
  if (threadIdx.x == blockDim.x - 1)
    *flag = 1;
}
typedef int (*Function)(int);
__device__ int half(int x) { return x / 2; }
__device__ int triple(int x) { return 3 * x; }
__device__ Function table[2] = {half, triple};
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void called(int *out) {
  out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x) + factorial(threadIdx.x % 6);
}

int main() {
  int *out;
  cudaMallocManaged(&out, 64 * 8 * sizeof(int));
  warp<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) {
    const int *mine = out + i * 8, lane = i % 32;
    check("sum", mine[0], i < 32 ? 496 : 496 + 1024);
    check("ballot", unsigned(mine[1]), 0xaaaaaaaau);
    check("votes", mine[2], 1);
    check("xor", mine[3], lane ^ 1);
    check("match", unsigned(mine[4]), 0xffu << (lane / 8 * 8));
    check("active", mine[5], 32);
    check("count", mine[6], 22);
    check("up", mine[7], lane >= 10 ? -1 : lane ? lane - 1 : 0);
  }
  for (int i = 0; i < 8; ++i)
    out[i] = 0;
  atomics<<<4, 64>>>(out);
  int t;
  unsigned w;
  double s;
  cudaMemcpyFromSymbol(&t, total, sizeof t);
  cudaMemcpyFromSymbol(&w, wrapping, sizeof w);
  cudaMemcpyFromSymbol(&s, sum, sizeof s);
  check("total", t, 4 * 2016);
  check("wrapping", w, 256 % 10);
  check("double", s, 128);
  check("max", out[0], 255);
  check("cas", out[1], 42);
  check("exchange", out[2], 7);
  check("or", out[3], 255);
  out[0] = 0;
  locked<<<8, 64>>>(out);
  cudaDeviceSynchronize();
  check("locked", out[0], 512);
  out[0] = 0;
  handed<<<1, 96>>>(out);
  cudaDeviceSynchronize();
  called<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  const int factorials[] = {1, 1, 2, 6, 24, 120};
  for (int i = 0; i < 64; ++i)
    check("called", out[i], (i & 1 ? 3 * i : i / 2) + factorials[i % 6]);
  cudaFree(out);
  return failed();
}
