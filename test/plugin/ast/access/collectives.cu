// Cooperative groups of a block and below, and CUB's collectives, end and leave global variables
// alone; groups that may span blocks, and operators of the program, do not count as known.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl, nvcc
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,CLANG %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
struct Waits {
  volatile int *flag;
  __device__ float operator()(float a, float b) const {
    while (!*flag)
      ;
    return a + b;
  }
};
// CHECK: kernel tile_reduce {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT:   parameter x : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter sum : float * 8 pointer write{{$}}
__global__ void tile_reduce(const float *x, float *sum, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float s = 0;
  for (int i = warp.thread_rank(); i < n; i += warp.size())
    s += x[i];
  s = cg::reduce(warp, s, cg::plus<float>{});
  block.sync();
  if (warp.thread_rank() == 0)
    sum[warp.meta_group_rank()] = s + warp.shfl_down(s, 1);
}
// CHECK: kernel block_sync {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
__global__ void block_sync(float *p) {
  auto block = cg::this_thread_block();
  cg::sync(block);
  p[block.thread_rank()] = cg::coalesced_threads().size();
}
// CHECK: kernel block_reduce {{.*}}stub={{[^ ]*}} ends{{( keeps-globals)?$}}
__global__ void block_reduce(const float *x, float *sum) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  float all = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0)
    *sum = all;
}
// CHECK: kernel reduce_in_place {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT:   parameter x : float * 8 pointer read write{{$}}
// CHECK-NEXT:   parameter y : const float * 8 pointer read{{$}}
__global__ void reduce_in_place(float *x, const float *y) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = cg::reduce(warp, x[1], cg::plus<float>{}) + warp.shfl(y[0], 0);
}
// CHECK: kernel grid_sync {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void grid_sync(float *p) {
  cg::this_grid().sync();
  p[0] = 1;
}
// CHECK: kernel grid_by_reference {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void grid_by_reference(float *p) {
  auto grid = cg::this_grid();
  cg::sync(grid);
  p[0] = 1;
}
// CHECK: kernel any_group {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__device__ void wait_for(const cg::thread_group &group) { group.sync(); }
__global__ void any_group(float *p) {
  wait_for(cg::this_thread_block());
  p[0] = 1;
}
// CHECK: kernel own_operator {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void own_operator(float *x, int *flag) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = cg::reduce(warp, x[0], Waits{flag});
}
// CHECK: kernel own_block_operator {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void own_block_operator(float *x, int *flag) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  x[0] = Reduce(storage).Reduce(x[threadIdx.x], Waits{flag});
}
// CHECK: kernel own_lambda {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void own_lambda(float *x, volatile int *flag) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = cg::reduce(warp, x[0], [=](float a, float b) {
    while (!*flag)
      ;
    return a + b;
  });
}
// What a group of several warps exchanges lies where the program says.
// CHECK: kernel scratch {{.*}}stub=
// CHECK-NEXT:   parameter memory : {{.*(escape|unknown)}}
__global__ void scratch(cg::block_tile_memory<128> *memory, float *x) {
  auto block = cg::this_thread_block(*memory);
  auto tile = cg::tiled_partition<64>(block);
  x[0] = cg::reduce(tile, x[1], cg::plus<float>());
}
// The program's operators run for classes of the library, too, that are made of its own.
__device__ int compared;
struct Compares {
  float value;
  __host__ __device__ bool operator>(const Compares &other) const { return count() > other.value; }
  __host__ __device__ bool operator==(const Compares &other) const {
    return count() == other.value;
  }
  __host__ __device__ float count() const {
#ifdef __CUDACC__
    compared = 1;
#endif
    return value;
  }
};
// CHECK: kernel own_elements {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void own_elements(float *x) {
  using Pair = cub::KeyValuePair<int, Compares>;
  using Reduce = cub::BlockReduce<Pair, 128>;
  __shared__ typename Reduce::TempStorage storage;
  x[0] = Reduce(storage).Reduce(Pair(1, Compares{x[1]}), cub::ArgMax()).value.value;
}
// CLANG: kernel plain_elements {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
__global__ void plain_elements(float *x) {
  using Pair = cub::KeyValuePair<int, float>;
  using Reduce = cub::BlockReduce<Pair, 128>;
  __shared__ typename Reduce::TempStorage storage;
  x[0] = Reduce(storage).Reduce(Pair(1, x[1]), cub::ArgMax()).value;
}
int main() { return 0; }

// Memory may decide who is in such a group, and with that where a thread of it writes.
// CHECK: kernel by_partition {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT:   parameter x : const int * 8 pointer read{{$}}
// CHECK-NEXT:   parameter s : int * 8 pointer write anywhere{{$}}
__global__ void by_partition(const int *x, int *s) {
  auto half = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), x[threadIdx.x] > 0);
  s[half.thread_rank()] = 1;
}
// CHECK: kernel strides_in_group {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
__global__ void strides_in_group(float *s, int n) {
  auto group = cg::coalesced_threads();
  for (int i = group.thread_rank(); i < n; i += group.size())
    s[i] = 0;
}
// CHECK: kernel in_tile {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT:   parameter s : int * 8 pointer write{{$}}
__global__ void in_tile(int *s) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[tile.thread_rank()] = 0;
  s[tile.thread_rank()] += 1;
}
