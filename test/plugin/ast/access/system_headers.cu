// Kernels of libraries that the build gives as system headers are looked at as the program's own.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 -isystem %S/Inputs/library --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 -isystem %S/Inputs/library %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
#include <library.h>

// CHECK: kernel calls_included
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_included(int *flag) { included(flag); }
// CHECK: kernel calls_by_size
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_by_size(int *flag) { bySize(flag); }
// CHECK: kernel calls_by_name
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void calls_by_name(int *flag) { byName(flag); }
// CHECK: kernel calls_move
// CHECK-NEXT: parameter to : {{.*}} {{read write|unknown}}
// CHECK-NEXT: parameter from : {{.*}} {{read write|unknown}}
__global__ void calls_move(int *to, int *from) { atomicMove(to, from); }
// CHECK: kernel calls_plain
// CHECK-NEXT: parameter to : {{.*}} {{write|unknown}}
__global__ void calls_plain(int *to) { plain(to); }
