// What stands for an entry point whose address is taken may be called wherever calls through
// pointers are checked, and a function of another type may not.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: lld
// RUN: %build_trace
// RUN: rm -f %t
// RUN: %clangxx %instr %verify -O1 -fsanitize=kcfi %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: not --crash %t other
// RUN: rm -f %t
// RUN: %clangxx %instr %verify -O1 -flto -fuse-ld=lld -fvisibility=hidden -fsanitize=cfi-icall %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: not --crash %t other
// RUN: rm -f %t
// RUN: %clangxx %instr %verify -flto=thin -fuse-ld=lld -fvisibility=hidden -fsanitize=cfi-icall %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: not --crash %t other
#include <cuda_runtime_api.h>

static cudaError_t (*volatile allocate)(void **, size_t) = cudaMalloc;
static cudaError_t (*volatile release)(void *) = cudaFree;

int main(int argc, char **) {
  void *p = nullptr;
  if (argc > 1)
    return reinterpret_cast<int (*volatile)(long)>(release)(0);
  // CHECK: enter checked-calls.cpp:{{[0-9]+}} op=4 cudaMalloc
  allocate(&p, 16);
  // CHECK: enter checked-calls.cpp:{{[0-9]+}} op=5 cudaFree
  release(p);
  return 0;
}
