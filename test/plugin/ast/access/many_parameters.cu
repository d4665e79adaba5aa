// Kernels with more parameters than there are roots: those that may hold pointers are known as long as
// they find a place. Functions with so many are not followed.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
struct Two {
  const float *from;
  float *to;
};
// CHECK: kernel many {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter b : {{.*}} pointer write{{$}}
// CHECK-NEXT: parameter s : {{.*}} aggregate {{(read write|unknown).*$}}
// CHECK: parameter c : {{.*}} pointer{{$}}
__global__ void many(int n0, int n1, int n2, int n3, int n4, int n5, int n6, int n7, int n8, int n9, int n10, int n11, int n12, int n13, int n14, int n15, int n16, int n17, int n18, int n19, int n20, int n21, int n22, int n23, int n24, int n25, int n26, int n27, int n28, int n29, const float *a, float *b, Two s, float *c) {
  b[threadIdx.x] = a[n7];
  s.to[0] = s.from[n8];
}
// CHECK: kernel all_pointers {{.*}}stub=
// CHECK: parameter p32 : {{.*}} pointer unknown{{$}}
__global__ void all_pointers(float *p0, float *p1, float *p2, float *p3, float *p4, float *p5, float *p6, float *p7, float *p8, float *p9, float *p10, float *p11, float *p12, float *p13, float *p14, float *p15, float *p16, float *p17, float *p18, float *p19, float *p20, float *p21, float *p22, float *p23, float *p24, float *p25, float *p26, float *p27, float *p28, float *p29, float *p30, float *p31, float *p32) { p32[threadIdx.x] = p31[0]; }
__device__ void callee(int n0, int n1, int n2, int n3, int n4, int n5, int n6, int n7, int n8, int n9, int n10, int n11, int n12, int n13, int n14, int n15, int n16, int n17, int n18, int n19, int n20, int n21, int n22, int n23, int n24, int n25, int n26, int n27, int n28, int n29, float *a, float *b) { b[n0] = a[n29]; }
// CHECK: kernel calls {{.*}}stub=
// CHECK-NEXT: parameter a : {{.*}} pointer {{.*}}unknown
// CHECK-NEXT: parameter b : {{.*}} pointer {{.*}}unknown
__global__ void calls(float *a, float *b) {
  callee(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, a, b);
}
