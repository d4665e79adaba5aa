// A condition may paste the name of a macro that the device alone defines: who sees the pieces does
// not see the name, so what such a condition chooses is unknown.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: rm -f %t.o %t.nvcc.o
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -dc %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
#include <sys/cdefs.h>

#define PASTE(a, b) a##b
#define CAT(a, b) PASTE(a, b)
#define SIDE CAT(__CUDA_, ARCH__)
#define LIMIT(x) (x + 1)
#define ROOM CAT(SI, ZE)
#define SIZE 4

// CHECK: kernel by_pasted
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_pasted(int *flag) {
#if CAT(__CUDA_, ARCH__)
  *flag = 1;
#endif
}

// CHECK: kernel by_pasted_elif
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_pasted_elif(int *flag) {
#if defined(_WIN32)
#elif PASTE(__CUDA_, \
            ARCH__) > 300
  *flag = 1;
#endif
}

// CHECK: kernel by_alias
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_alias(int *flag) {
#if SIDE >= 300
  *flag = 1;
#endif
}

// The C library has such a macro, too.
// CHECK: kernel by_library
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_library(int *flag) {
#if __CONCAT(__CUDA_, ARCH__)
  *flag = 1;
#endif
}

#if CAT(__CUDA_, ARCH__)
#define ON_DEVICE 1
constexpr int Chosen = 1;
#else
#define ON_DEVICE 0
constexpr int Chosen = 0;
#endif
// CHECK: kernel by_macro
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_macro(int *flag) {
  if (ON_DEVICE)
    *flag = 1;
}

// CHECK: kernel by_constant
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_constant(int *flag) {
  if (Chosen)
    *flag = 1;
}

// Silent: conditions with macros that paste nothing, and names pasted elsewhere than in one.
// CHECK: kernel alike
// CHECK-NEXT: parameter to : {{.*}} write
__global__ void alike(int *to) {
#if LIMIT(SIZE) > 3
  *to = ROOM;
#endif
}

// CHECK: kernel pastes
// CHECK-NEXT: parameter to : {{.*}} write
__global__ void pastes(int *CAT(t, o)) { *CAT(t, o) = CAT(1, 2); }
