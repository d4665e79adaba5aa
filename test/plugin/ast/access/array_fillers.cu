// Elements that a list does not name are made by what stands nowhere in it: constructors, members'
// initialisers. Their twins name them, or make nothing but zeros.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

__device__ float *led;
__device__ int shown;
__device__ volatile int *awaited;
struct Leads {
  float *q = led;
};
struct Shows {
  __device__ Shows() { shown = 1; }
  __device__ Shows(int) {}
};
struct Waits {
  int k;
  __device__ Waits() {
    while (*awaited == 0)
      ;
  }
  __device__ Waits(int i) : k(i) {}
};
struct Inside {
  int x;
  int *q = &x;
};
struct Read {
  int v = shown;
};
struct Zero {
  int v;
};

// CHECK: kernel leads {{.*}} stub={{[^ ]+}} ends{{$}}
__global__ void leads() {
  Leads l[2] = {};
  l[0].q[0] = 1;
}
// CHECK: kernel shows {{.*}} stub={{[^ ]+}} ends{{$}}
__global__ void shows() { Shows s[2] = {1}; }
// CHECK: kernel shows_nothing {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void shows_nothing() { Shows s[2] = {1, 2}; }
// CHECK: kernel waits {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
__global__ void waits() { Waits w[2] = {1}; }
// CHECK: kernel waits_for_nothing {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
__global__ void waits_for_nothing() { Waits w[2] = {1, 2}; }
// CHECK: kernel inside {{.*}} stub={{[^ ]+}}{{$}}
// CHECK-NEXT: parameter flag : volatile int * 8 pointer unknown{{$}}
__global__ void inside(volatile int *flag) {
  Inside w[2] = {};
  for (int i = 0; w[1].x == 0 || i < 0; i = 1)
    *w[1].q = *flag;
}
// CHECK: kernel read {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter s : float * 8 pointer write anywhere{{$}}
__global__ void read(float *s) {
  Read r[2] = {};
  s[r[1].v] = 0;
}
// CHECK: kernel zero {{.*}} stub={{[^ ]+}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter s : float * 8 pointer write{{$}}
__global__ void zero(float *s) {
  Zero r[2] = {};
  s[r[1].v] = 0;
}
