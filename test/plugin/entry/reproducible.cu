// The same source twice gives the same object, wherever it is compiled.
// SPDX-License-Identifier: Apache-2.0
// RUN: rm -rf %t.a %t.b && mkdir -p %t.a %t.b
// RUN: cp %s %t.a/x.cu && cp %s %t.b/x.cu
// RUN: cd %t.a && %clangxx_cuda --cuda-host-only %instr -O2 -ffile-prefix-map=%t.a=/src -c %t.a/x.cu -o x.o
// RUN: cd %t.b && %clangxx_cuda --cuda-host-only %instr -O2 -ffile-prefix-map=%t.b=/src -c %t.b/x.cu -o x.o
// RUN: cmp %t.a/x.o %t.b/x.o
// RUN: %llvm-strings %t.a/x.o | %FileCheck %s
// CHECK-NOT: {{reproducible.cu.tmp.a}}
// CHECK: /src/x.cu
#include <memory>
__global__ void k(int *p) {}
template <class T> struct Owner {
  T *p;
  Owner() { cudaMalloc(&p, sizeof(T)); }
  ~Owner() { cudaFree(p); }
};
void f() {
  auto a = std::make_unique<Owner<int>>();
  auto b = std::make_unique<Owner<float>>();
  k<<<1, 1>>>(a->p);
}
