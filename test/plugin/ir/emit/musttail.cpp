// A call that must be a tail call, or that never returns, is counted: nothing may follow it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx %instr %verify %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -O2 -g %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefix=IR %s
#include <cuda_runtime_api.h>

// 0x4000: not left; 0x10000, of a wrapper, and 0x2000000, of a function's first
// call, say nothing of a call that is counted alone.
// IR-LABEL: define {{.*}}@_Z4tailPv(
// IR-NOT: alloca [264
// IR: musttail call i32 @cudaFree(
// IR-NEXT: ret i32
cudaError_t tail(void *p) { [[clang::musttail]] return cudaFree(p); }

cudaError_t outer(void *p) { [[clang::musttail]] return tail(p); }

int main() {
  // CHECK: count musttail.cpp:[[#@LINE-5]] cudaFree flags=0x{{(20[01])?1?4002}}
  outer(nullptr);
}
