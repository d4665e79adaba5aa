// Matrix fragments of tensor cores, and copies into shared memory that go on beside the thread.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda --cuda-gpu-arch=sm_80 -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_80 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

// CHECK: kernel multiply {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter b : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter c : float * 8 pointer write anywhere{{$}}
__global__ void multiply(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + k, n);
    wmma::load_matrix_sync(right, b + k, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] *= 2;
  wmma::store_matrix_sync(c, sum, n, wmma::mem_row_major);
}
// CHECK: kernel pipelined {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
__global__ void pipelined(const float4 *in, float4 *out) {
  __shared__ float4 part[128];
  __pipeline_memcpy_async(&part[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = part[threadIdx.x];
}
// CHECK: kernel group_copies {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write{{$}}
__global__ void group_copies(const float *in, float *out) {
  __shared__ float part[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, part, in, sizeof(float) * block.size());
  cg::wait(block);
  out[threadIdx.x] = part[threadIdx.x];
}
// Pointers that are copied like this are lost from sight.
// CHECK: kernel pointers
// CHECK-NEXT:   parameter table : {{.*}}{{escape|unknown|follow}}
__global__ void pointers(float *const *table) {
  __shared__ float *part[32];
  __pipeline_memcpy_async(&part[threadIdx.x], &table[threadIdx.x], sizeof(float *));
  __pipeline_wait_prior(0);
  *part[threadIdx.x] = 1;
}
// CHECK: kernel group_pointers
// CHECK-NEXT:   parameter table : {{.*}}{{escape|unknown}}
__global__ void group_pointers(float *const *table) {
  __shared__ float *part[32];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, part, table, sizeof part);
  cg::wait(block);
  *part[threadIdx.x] = 1;
}
// CHECK: kernel group_bytes
// CHECK-NEXT:   parameter table : {{.*}}{{escape|unknown}}
__global__ void group_bytes(float *const *table) {
  __shared__ float *part[32];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, (void *)part, (const void *)table, sizeof part);
  cg::wait(block);
  *part[threadIdx.x] = 1;
}
// A group that may be the whole grid waits for other blocks.
// CHECK: kernel any_group
// CHECK-NOT: ends
// CHECK-NEXT:   parameter out :
__global__ void any_group(float *out) {
  cg::thread_group group = cg::this_thread_block();
  cg::wait(group);
  out[threadIdx.x] = 1;
}
// Enumerators are numbers.
enum Direction { Forward, Backward };
__device__ void move(float *x, Direction d) { x[threadIdx.x] *= d == Forward ? 2 : 3; }
// CHECK: kernel directed {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter x : float * 8 pointer read write{{( anywhere)?$}}
__global__ void directed(float *x) { move(x, Backward); }
