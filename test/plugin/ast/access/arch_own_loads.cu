// Branches that load in other words may differ where the program has an __ldg of its own.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -DBY_MACRO -c %s -o %t.macro.o > %t.macro.txt
// RUN: %FileCheck %s < %t.macro.txt
#include <cuda_runtime.h>

#ifdef BY_MACRO
#define __ldg(p) (*(p) = 1)
#else
namespace own {
__device__ inline int __ldg(int *p) { return *p = 1; }
} // namespace own
using own::__ldg;
#endif

// CHECK: kernel in_body
// CHECK-NEXT: parameter from : {{.*}} unknown
__global__ void in_body(int *from, int *to) {
#if __CUDA_ARCH__ >= 350
  *to = __ldg(from);
#else
  *to = *from;
#endif
}
