// A function reaches its own sites and one more, not all of the unit: passes that follow references
// for every function would take the square of their number.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O2 -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-compact=1000
// RUN: %python %S/Inputs/reached.py %t.ll | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O2 -flto=thin -S -emit-llvm -o %t.ll %s -fplugin-arg-gpuinstr-compact=1000
// RUN: %python %S/Inputs/reached.py %t.ll | %FileCheck %s
// In the short form functions name sites by number: none of them reaches any.
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O2 -S -emit-llvm -o %t.ll %s
// RUN: %python %S/Inputs/reached.py %t.ll | %FileCheck --check-prefix=SHORT %s
// SHORT: sites: 64
// SHORT-NEXT: a function reaches: 0
// SHORT-NEXT: the constructor reaches: 64
// CHECK: sites: 64
// CHECK-NEXT: a function reaches: {{[12]$}}
// CHECK-NEXT: the constructor reaches: 64
template <int N> void allocate(void **p) { cudaMalloc(p, N); }
#define FOUR(X, n) X(n) X(n + 1) X(n + 2) X(n + 3)
#define SIXTEEN(X, n) FOUR(X, n) FOUR(X, n + 4) FOUR(X, n + 8) FOUR(X, n + 12)
#define INSTANCE(n) template void allocate<n>(void **);
SIXTEEN(INSTANCE, 0)
SIXTEEN(INSTANCE, 16)
SIXTEEN(INSTANCE, 32)
SIXTEEN(INSTANCE, 48)
