// Inline PTX has an address as a number, too, where it stands without brackets; what is in memory to
// Clang has brackets that nobody wrote.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,CLANG %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// CHECK: kernel moved {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter p : float * 8 pointer read escape unknown{{$}}
// CHECK-NEXT: parameter slot : unsigned long long * 8 pointer write anywhere{{$}}
__global__ void moved(float *p, unsigned long long *slot) {
  unsigned long long n;
  unsigned v;
  asm volatile("mov.u64 %0, %2; ld.global.u32 %1, [%2];" : "=l"(n), "=r"(v) : "l"(p));
  slot[0] = n;
  slot[1] = v;
}
// CHECK: kernel stored {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter p : unsigned long long * 8 pointer write escape unknown{{$}}
__global__ void stored(unsigned long long *p) { asm volatile("st.global.u64 [%0], %0;" ::"l"(p)); }
// CHECK: kernel in_a_vector {{.*}} stub={{[^ ]+}} ends{{$}}
// CHECK-NEXT: parameter p : float * 8 pointer escape unknown{{$}}
// CHECK-NEXT: parameter q : float * 8 pointer write anywhere{{$}}
__global__ void in_a_vector(float *p, float *q) {
  asm volatile("st.global.v2.u64 [%1], {%0, %0}; prefetch.global.L2 [%0];" ::"l"(p), "l"(q));
}
// CHECK: kernel in_brackets {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter p : float * 8 pointer read{{$}}
// CHECK-NEXT: parameter q : float * 8 pointer write anywhere{{$}}
__global__ void in_brackets(float *p, float *q) {
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
  asm volatile("st.global.f32 [%0], %1;" ::"l"(q), "f"(v));
}
#if __clang__ && __CUDA__
// CLANG: kernel in_memory
// CLANG-NEXT: parameter p : int * 8 pointer {{.*}}unknown
__global__ void in_memory(int *p) {
  asm volatile("st.global.u32 %0, 5;" ::"m"(*p) : "memory");
}
#endif
