// Threads that run in steps and end badly: errors name the thread, prints keep their order.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated %s -o %t %cudart
// RUN: %sim %t address 2>&1 | %FileCheck --check-prefix=ADDRESS %s
// RUN: %sim %t address-warps 2>&1 | %FileCheck --check-prefix=WARPS %s
// RUN: %sim %t address-looks 2>&1 | %FileCheck --check-prefix=LOOKS %s
// RUN: %sim %t stack 2>&1 | %FileCheck --check-prefix=STACK %s
// RUN: %sim %t trap 2>&1 | %FileCheck --check-prefix=TRAP %s
// RUN: %sim %t assert 2>&1 | %FileCheck --check-prefix=ASSERT %s
// RUN: %sim %t mask 2>&1 | %FileCheck --check-prefix=MASK %s
// RUN: %sim %t apart 2>&1 | %FileCheck --check-prefix=APART %s
// RUN: %sim %t print 2>&1 | %FileCheck --check-prefix=PRINT %s
// ADDRESS: kernel address(int*, int): illegal access to address 0x8 in block (2,0,0), thread (1,4,0)
// ADDRESS: cudaErrorIllegalAddress
// WARPS: illegal access to address 0x8 in block (1,0,0), thread (70,0,0)
// WARPS: cudaErrorIllegalAddress
// LOOKS: illegal access to address 0x8 in block (1,0,0), thread (70,0,0)
// LOOKS: cudaErrorIllegalAddress
// STACK: kernel deep(int*, int): block (0,0,0), thread (9,0,0): stack overflow
// STACK: cudaErrorIllegalAddress
// TRAP: block (0,0,0), thread (40,0,0): trap
// TRAP: cudaErrorLaunchFailure
// ASSERT-COUNT-2: block: [0,0,0], thread: [{{3|60}},0,0] Assertion `i != 3 && i != 60` failed.
// ASSERT: cudaErrorAssert
// MASK: block (0,0,0), thread (0,0,0): the mask 0x00000002 of a warp operation lacks the calling lane
// MASK: cudaErrorIllegalInstruction
// APART: thread (0,0,0) at barrier 0; block (0,0,0), thread (1,0,0) in a warp operation with mask 0xffffffff
// APART: cudaErrorLaunchTimeout
// PRINT: 0 first{{.*[[:space:]]}}1 first{{.*[[:space:]]}}2 first{{.*[[:space:]]}}0 second{{.*[[:space:]]}}1 second{{.*[[:space:]]}}2 second
// PRINT: cudaSuccess
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void address(int *out, int at) {
  __shared__ int board[64];
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  board[i] = i;
  __syncthreads();
  int *where = blockIdx.x == 2 && board[63 - i] == 63 - at ? (int *)8 : out;
  __syncthreads();
  *where = 1;
}
__global__ void addressWarps(int *out, int at) {
  int i = threadIdx.x, sum = __shfl_xor_sync(~0u, i, 1);
  __syncthreads();
  int *where = blockIdx.x == 1 && (sum ^ 1) == at ? (int *)8 : out;
  sum = __shfl_xor_sync(~0u, i, 2);
  *where = sum;
}
__global__ void addressLooks(volatile int *out, int at) {
  int i = threadIdx.x;
  __shared__ volatile int next;
  next = 0;
  __syncthreads();
  while (next != i)
    ;
  volatile int *where = blockIdx.x == 1 && i == at ? (int *)8 : out;
  *where = i;
  next = i + 1;
}
__device__ __noinline__ int levels(volatile int *data, int n) {
  volatile int own[64];
  own[n % 64] = data[0];
  return n ? levels(own, n - 1) + own[n % 64] : 0;
}
__global__ void deep(int *out, int at) {
  __shared__ int board[64];
  board[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = levels(out, board[threadIdx.x ^ 1] == (at ^ 1) ? 1 << 20 : 3);
}
__global__ void traps(int *out) {
  __syncthreads();
  if (threadIdx.x == 40)
    __trap();
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void asserts() {
  int i = threadIdx.x;
  __syncthreads();
  assert(i != 3 && i != 60);
  __syncthreads();
}
__global__ void masks(int *out) { out[threadIdx.x] = __shfl_sync(2, int(threadIdx.x), 1); }
__global__ void apart(int *out) {
  if (threadIdx.x == 0)
    __syncthreads();
  else
    out[threadIdx.x] = __shfl_sync(~0u, int(threadIdx.x), 1);
}
__global__ void prints() {
  printf("%d first\n", threadIdx.x);
  __syncthreads();
  printf("%d second\n", threadIdx.x);
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, 4096);
  cudaMemset(out, 0, 4096);
  auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  if (is("address"))
    address<<<3, dim3(4, 16)>>>(out, 17);
  else if (is("address-warps"))
    addressWarps<<<2, 96>>>(out, 70);
  else if (is("address-looks"))
    addressLooks<<<2, 96>>>(out, 70);
  else if (is("stack"))
    deep<<<1, 64>>>(out, 9);
  else if (is("trap"))
    traps<<<1, 64>>>(out);
  else if (is("assert"))
    asserts<<<1, 64>>>();
  else if (is("mask"))
    masks<<<1, 1>>>(out);
  else if (is("apart"))
    apart<<<1, 32>>>(out);
  else if (is("print"))
    prints<<<1, 3>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
