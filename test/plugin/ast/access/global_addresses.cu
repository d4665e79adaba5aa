// Addresses of global variables in objects: a constructor puts them there, whatever it gets.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

__device__ int counter;
__device__ int *place;

struct ByMember {
  int *at = &counter;
};
struct ByConstructor {
  int *at;
  __device__ ByConstructor() : at(&counter) {}
  __device__ ByConstructor(int) : at(place) {}
  __device__ ByConstructor(int *p) : at(p) {}
};
struct Derived : ByConstructor {
  int n;
  __device__ Derived(int n) : n(n) {}
};
struct Delegates {
  int *at;
  __device__ Delegates(int *p) : at(p) {}
  __device__ Delegates() : Delegates(&counter) {}
};

// CHECK: kernel by_member {{.*}} ends{{$}}
__global__ void by_member() {
  ByMember m;
  *m.at = 1;
}
// CHECK: kernel by_constructor {{.*}} ends{{$}}
__global__ void by_constructor() {
  ByConstructor c;
  *c.at = 1;
}
// CHECK: kernel by_temporary {{.*}} ends{{$}}
__global__ void by_temporary() { *ByConstructor().at = 1; }
// CHECK: kernel behind_another {{.*}} ends{{$}}
__global__ void behind_another(int n) {
  ByConstructor c(n);
  *c.at = 1;
}
// CHECK: kernel by_base {{.*}} ends{{$}}
__global__ void by_base(int n) {
  Derived d(n);
  *d.at = 1;
}
// CHECK: kernel delegated {{.*}} ends{{$}}
__global__ void delegated() {
  Delegates d;
  *d.at = 1;
}
// CHECK: kernel of_argument {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter p : int * 8 pointer write{{( anywhere)?$}}
__global__ void of_argument(int *p) {
  ByConstructor c(p);
  Delegates d(p);
  *c.at = 1;
  *d.at = 1;
}
// CHECK: kernel only_reads {{.*}} ends keeps-globals{{$}}
__global__ void only_reads(int *p) {
  ByConstructor c;
  *p = *c.at;
}
