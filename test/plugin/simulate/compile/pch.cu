// A host's precompiled header serves the device compile too: what it was made from is read again.
// SPDX-License-Identifier: Apache-2.0
// RUN: echo 'template <typename T> __device__ T twice(T x) { return 2 * x; }' > %t.cu
// RUN: %clangxx_cuda --cuda-host-only -O1 -c -Xclang -emit-pch %t.cu -o %t.pch
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O1 -Xclang -include-pch -Xclang %t.pch -S -emit-llvm %s -o %t.ll 2>&1 | %count 0
// RUN: %FileCheck %s < %t.ll
// CHECK: store i32 42,
__global__ void kernel(int *out) { *out = twice(21); }
