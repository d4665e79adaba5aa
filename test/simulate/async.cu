// mbarriers and asynchronous copies: by hand, by libcu++, by cooperative groups.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %build_simulated_sm90 -std=c++17 %cccl \
// RUN:   %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using u64 = unsigned long long;

__device__ unsigned low(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned ended(const uint64_t &bar, unsigned parity) {
  return ptx::mbarrier_test_wait_parity(const_cast<uint64_t *>(&bar), parity);
}

/// One thread: each step of a phase.
__global__ void phases(unsigned *out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 3);
  *out++ = ended(bar, 0); // the first phase has not ended
  *out++ = ended(bar, 1); // the one before it has
  const uint64_t token = ptx::mbarrier_arrive_no_complete(&bar, 1);
  unsigned pending;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  *out++ = pending;
  ptx::mbarrier_arrive(&bar, 1u);
  *out++ = ptx::mbarrier_test_wait(&bar, token);
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(low(&bar)) : "memory");
  *out++ = ptx::mbarrier_test_wait(&bar, token);
  *out++ = ended(bar, 0);
  *out++ = ended(bar, 1);
  // Two are left; the bytes must come, too, and may come first.
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(low(&bar))
               : "memory");
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 80);
  ptx::mbarrier_arrive(&bar);
  *out++ = ended(bar, 1);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(low(&bar))
               : "memory");
  *out++ = ended(bar, 1);
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(low(&bar)) : "memory");
}

/// A block waits for a copy that one thread starts; another copies back.
__global__ void bulk(const int *in, int *out) {
  __shared__ uint64_t bar;
  __shared__ alignas(16) int tile[128];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   sizeof tile);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0))
    ;
  tile[threadIdx.x] *= 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Rounds of a block barrier, and of a barrier that not all threads come to: the rest spins.
__global__ void rounds(int *out) {
  __shared__ alignas(Barrier) char memory[2][sizeof(Barrier)];
  auto &all = *(Barrier *)memory[0], &half = *(Barrier *)memory[1];
  __shared__ int sum;
  if (threadIdx.x == 0) {
    init(&all, blockDim.x);
    init(&half, blockDim.x / 2);
    sum = 0;
  }
  __syncthreads();
  for (int i = 0; i < 10; ++i) {
    atomicAdd(&sum, int(threadIdx.x));
    all.arrive_and_wait();
    if (sum != (i + 1) * 64 * 63 / 2)
      out[64] = 1;
    all.arrive_and_wait();
  }
  if (threadIdx.x % 2)
    half.arrive_and_wait();
  else
    half.wait_parity(false);
  out[threadIdx.x] = 1;
}

__global__ void groups(const int *in, int *out) {
  __shared__ alignas(16) int tile[128];
  __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
  auto &bar = *(Barrier *)memory;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&bar, block.size());
  block.sync();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[127 - threadIdx.x];
  block.sync();
  cuda::memcpy_async(block, tile, in + 128, cuda::aligned_size_t<16>(sizeof tile), bar);
  bar.arrive_and_wait();
  out[128 + threadIdx.x] = tile[127 - threadIdx.x];
  // The source has fewer bytes than the destination: zeroes behind them.
  block.sync();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 4; cp.async.commit_group;"
               "cp.async.wait_group 0;" ::"r"(low(tile)),
               "l"(in + 5)
               : "memory");
  if (threadIdx.x == 0)
    out[256] = tile[0] * 10 + tile[1];
}

int main() {
  unsigned *steps;
  int *in, *out;
  cudaMallocManaged(&steps, 9 * sizeof *steps);
  cudaMallocManaged(&in, 256 * sizeof *in);
  cudaMallocManaged(&out, 512 * sizeof *out);
  for (int i = 0; i < 256; ++i)
    in[i] = i;
  phases<<<1, 1>>>(steps);
  bulk<<<1, 128>>>(in, out);
  check("run", int(cudaDeviceSynchronize()), 0);
  const unsigned wanted[] = {0, 1, 3, 0, 1, 1, 0, 0, 1};
  for (int i = 0; i < 9; ++i)
    check("phase", steps[i] * 100 + i, wanted[i] * 100 + i);
  for (int i = 0; i < 128; ++i)
    check("bulk", out[i], 2 * i);

  cudaMemset(out, 0, 512 * sizeof *out);
  rounds<<<1, 64>>>(out);
  check("run", int(cudaDeviceSynchronize()), 0);
  for (int i = 0; i < 65; ++i)
    check("rounds", out[i], i < 64);

  groups<<<1, 128>>>(in, out);
  check("run", int(cudaDeviceSynchronize()), 0);
  for (int i = 0; i < 128; ++i) {
    check("groups", out[i], 127 - i);
    check("memcpy_async", out[128 + i], 255 - i);
  }
  check("zeroes", out[256], 50);
  cudaFree(steps);
  cudaFree(in);
  cudaFree(out);
  return failed();
}
