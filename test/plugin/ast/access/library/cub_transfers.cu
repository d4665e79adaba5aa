// CUB's functions that load and store through pointers, and what its collectives call: operators of
// the program that do nothing but compute leave a kernel's facts known, others do not.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl, nvcc
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cub/cub.cuh>
#include <cuda_runtime.h>
constexpr int Block = 128, Items = 4;
__device__ int calls;
__device__ float *elsewhere;

// ---- loads and stores ----
// CHECK: kernel loads_and_stores {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void loads_and_stores(const float *a, float *o, int n) {
  using Load = cub::BlockLoad<float, Block, Items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<float, Block, Items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } scratch;
  float v[Items];
  Load(scratch.load).Load(a + blockIdx.x * Block * Items, v, n, 0.0f);
  __syncthreads();
  Store(scratch.store).Store(o + blockIdx.x * Block * Items, v, n);
}
// CHECK: kernel single_loads {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void single_loads(const int *a, int *o, int n) {
  int v[Items];
  cub::LoadDirectStriped<Block>(threadIdx.x, a, v, n);
  cub::StoreDirectBlocked(threadIdx.x, o, v, n);
  int w = cub::ThreadLoad<cub::LOAD_LDG>(a + threadIdx.x);
  cub::ThreadStore<cub::STORE_CG>(o + threadIdx.x, w);
}
// CHECK: kernel sorts {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read write{{( anywhere)?$}}
__global__ void sorts(unsigned *a) {
  using Load = cub::BlockLoad<unsigned, Block, Items>;
  using Sort = cub::BlockRadixSort<unsigned, Block, Items>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Sort::TempStorage sort;
  unsigned v[Items];
  Load(load).Load(a, v);
  Sort(sort).Sort(v);
  cub::StoreDirectBlocked(threadIdx.x, a, v);
}

// ---- operators ----
struct Larger {
  float floor;
  __device__ float operator()(float a, float b) const { return a > b ? a : b > floor ? b : floor; }
};
struct Counts {
  __device__ float operator()(const float &a, const float &b) const {
    atomicAdd(&calls, 1);
    return a + b;
  }
};
struct Keeps {
  float *where;
  __device__ float operator()(float a, float b) const { return where[0] = a + b; }
};
struct Waits {
  __device__ float operator()(float a, float b) const {
    while (*(volatile int *)&calls == 0)
      ;
    return a + b;
  }
};
struct Follows {
  __device__ float operator()(float a, float b) const { return a + elsewhere[0] * b; }
};
template <class Operator> __device__ float reduce(const float *a, Operator op) {
  using Reduce = cub::BlockReduce<float, Block>;
  __shared__ typename Reduce::TempStorage scratch;
  return Reduce(scratch).Reduce(a[threadIdx.x], op);
}
// CHECK: kernel by_lambda {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_lambda(const float *a, float *o) {
  using Reduce = cub::BlockReduce<float, Block>;
  __shared__ typename Reduce::TempStorage scratch;
  float v = Reduce(scratch).Reduce(a[threadIdx.x], [](float x, float y) { return x > y ? x : y; });
  if (threadIdx.x == 0)
    o[blockIdx.x] = v;
}
// CHECK: kernel by_functor {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_functor(const float *a, float *o) { o[blockIdx.x] = reduce(a, Larger{1}); }
// CHECK: kernel that_counts {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void that_counts(const float *a, float *o) { o[blockIdx.x] = reduce(a, Counts()); }
// CHECK: kernel that_keeps {{.*}}stub=
// CHECK-NEXT: parameter a :
// CHECK-NEXT: parameter o :
// CHECK-NEXT: parameter w : {{.*}} pointer {{.*(write|unknown)}}
__global__ void that_keeps(const float *a, float *o, float *w) { o[blockIdx.x] = reduce(a, Keeps{w}); }
// CHECK: kernel that_waits {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void that_waits(const float *a, float *o) { o[blockIdx.x] = reduce(a, Waits()); }

// ---- classes that also are operators ----
struct Loud {
  float v;
  __device__ float operator()(float a, float b) const { return a + b; }
  __device__ operator float() const { return v * atomicAdd(&calls, 1); }
};
struct Odd {
  float v;
  __device__ Odd(float v) : v(v) { atomicAdd(&calls, 1); }
};
struct OfOdd {
  __device__ float operator()(Odd a, Odd b) const { return a.v + b.v; }
};
struct Number {
  float v;
  __device__ Number operator()(Number, Number) const { return *this; }
  __device__ friend Number operator+(Number a, Number b) {
    return {a.v + atomicAdd(&calls, 1) + b.v};
  }
};
// CHECK: kernel in_place_of_what_is_not_there {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void in_place_of_what_is_not_there(const float *a, float *o, int n) {
  using Load = cub::BlockLoad<float, Block, Items>;
  __shared__ typename Load::TempStorage scratch;
  float v[Items];
  Load(scratch).Load(a, v, n, Loud{1});
  o[threadIdx.x] = v[0];
}
// CHECK: kernel that_converts {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void that_converts(const float *a, float *o) { o[blockIdx.x] = reduce(a, OfOdd()); }
// CHECK: kernel sums_of_a_class {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void sums_of_a_class(float *o) {
  using Reduce = cub::BlockReduce<Number, Block>;
  __shared__ typename Reduce::TempStorage scratch;
  o[blockIdx.x] = Reduce(scratch).Sum(Number{1}).v;
}

// ---- not by name ----
struct Logged {
  float v;
  __device__ Logged &operator=(float other) {
    v = other;
    atomicAdd(&calls, 1);
    return *this;
  }
};
// CHECK: kernel of_a_class {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void of_a_class(const float *a) {
  Logged v[Items];
  cub::LoadDirectBlocked(threadIdx.x, a, v);
}
// CHECK: kernel pointers {{.*}}stub=
// CHECK-NEXT: parameter a : {{.*}} pointer {{.*}}{{unknown|follow}}
__global__ void pointers(float *const *a) {
  float *v[Items];
  cub::LoadDirectBlocked(threadIdx.x, a, v);
  v[0][threadIdx.x] = 1;
}
