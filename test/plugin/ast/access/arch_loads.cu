// Conditionals whose branches load in other words hide no kernel: __ldg(p) and *p.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

#if __CUDA_ARCH__ < 350
#define AT(a, n) a[n]
#define LOAD(x) (*(x))
#else
#define AT(a, n) __ldg(a + n)
#define LOAD(x) __ldg(x)
#endif
#if __CUDA_ARCH__ >= 350 && !defined(NO_LOADS)
#define ELEMENT(a, n) (__ldg(&(a)[n]))
#elif __CUDA_ARCH__ >= 200
#define ELEMENT(a, n) a[(n)]
#else
#define ELEMENT(a, n) ((a)[n])
#endif

// CHECK: kernel by_element {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter from : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_element(const int *from, int *to) { to[threadIdx.x] = AT(from, threadIdx.x); }
// CHECK: kernel by_pointer {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter from : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_pointer(const int *from, int *to) { to[threadIdx.x] = LOAD(from + threadIdx.x); }
// CHECK: kernel by_address {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter from : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_address(const int *from, int *to) { to[threadIdx.x] = ELEMENT(from, 3); }

__device__ inline int load(const int *p) {
#if __CUDA_ARCH__ >= 350
  return __ldg(p);
#else
  return *p;
#endif
}
// CHECK: kernel by_function {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter from : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_function(const int *from, int *to) { to[threadIdx.x] = load(from); }
// CHECK: kernel in_body {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter from : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void in_body(const int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  to[threadIdx.x] = __ldg(&from[threadIdx.x]) + __ldcs(from + threadIdx.x / 2);
#else
  to[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x / 2];
#endif
}

// ---- what may differ ----
// CHECK: kernel other_place
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void other_place(const int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  *to = __ldg(from + 1);
#else
  *to = from[0];
#endif
}
// CHECK: kernel other_order
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void other_order(const int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  *to = __ldg(from + 1 == 0 ? from : to);
#else
  *to = from[1 == 0 ? 1 : 0];
#endif
}
// A parameter may be a sum.
#if __CUDA_ARCH__ >= 350
#define FIRST(x) __ldg(x)
#define OBJECT(x) __ldg(&x)
#else
#define FIRST(x) *x
#define OBJECT(x) x
#endif
// CHECK: kernel by_sum
// CHECK-NEXT: parameter to : {{.*}} unknown
__global__ void by_sum(int *to) { to[0] = FIRST(to + 1); }
// CHECK: kernel by_object
// CHECK-NEXT: parameter to : {{.*}} unknown
__global__ void by_object(int *to) { to[0] = OBJECT(to[0] + 1); }
// CHECK: kernel writes
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void writes(int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  *to = __ldg(from);
#else
  *to = *from = 1;
#endif
}
// CHECK: kernel without_else
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void without_else(int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  *to = __ldg(from);
#elif __CUDA_ARCH__ >= 300
  *to = *from;
#endif
}
// CHECK: kernel by_three
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void by_three(int *from, int *to) {
#if __CUDA_ARCH__ >= 900
  *to = *from;
#elif __CUDA_ARCH__ >= 350
  *from = *to;
#else
  *to = __ldg(from);
#endif
}
// No parameters: what follows is the text.
// clang-format off
#if __CUDA_ARCH__ >= 350
#define TEXT(from) *(from)
#else
#define TEXT (from) *(from)
#endif
// clang-format on
// CHECK: kernel by_space
// CHECK-NEXT: parameter from
// CHECK-NEXT: parameter to : {{.*}} unknown
__global__ void by_space(int from, int *to) {
#ifdef TEXT
  to[0] = from;
#endif
}
