// Conditionals on __CUDA_ARCH__ that come out alike for the host and the device that the compile is
// for hide no kernel.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

#define YES 1
#define OLD 350
#define PLAIN_SUM (OLD + 1)

// ---- alike ----
#if __CUDA_ARCH__ >= 600
#define BLOCKS 2
#else
#define BLOCKS 1
#endif
// CHECK: kernel bound_template{{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
template <class T> __global__ void __launch_bounds__(256, (BLOCKS)) bound_template(T *to) {
  *to = 1;
}
template __global__ void bound_template(int *);
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 350)
__device__ inline void of_old(int *) {}
#define STORE(p) (void)p
#else
__device__ inline void of_old(int *to) { *to = 1; }
#define STORE(p) *(p) = 1
#endif
// CHECK: kernel by_function {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_function(int *to) { of_old(to); }
// CHECK: kernel by_macro {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_macro(int *to) { STORE(to); }

// CHECK: kernel in_body {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void in_body(int *to) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ > OLD
  *to = 1;
#endif
}
// CHECK: kernel by_number {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_number(int *to) {
#if !YES && __CUDA_ARCH__ >= 500
  (void)to;
#elif __CUDA_ARCH__ == PLAIN_SUM || YES
  *to = 1;
#else
  *to = *to + 1;
#endif
}
// What the command line may say does not matter.
// CHECK: kernel by_option {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_option(int *to) {
#if defined(WHO_KNOWS) && (CUDART_VERSION < 9000) && !(__CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__))
  (void)to;
#else
  *to = 1;
#endif
}
// CHECK: kernel by_nested {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_nested(int *to) {
#if YES
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 200
  (void)to;
#else
  *to = 1;
#endif
#endif
}
// No later condition counts.
// CHECK: kernel by_first {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_first(int *to) {
#if YES
  *to = 1;
#elif __CUDA_ARCH__ > 500
  (void)to;
#endif
}
// CHECK: kernel bound {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void __launch_bounds__(256, BLOCKS) bound(int *to) { *to = 1; }

// ---- what may differ ----
// CHECK: kernel differs
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void differs(int *flag) {
#if __CUDA_ARCH__ >= 500
  *flag = 1;
#endif
}
// CHECK: kernel other_bound
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void __launch_bounds__(256, BLOCKS) other_bound(int *flag) {
  if (BLOCKS == 2)
    *flag = 1;
}
// CHECK: kernel on_device
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void on_device(int *flag) {
#if defined(__CUDA_ARCH__)
  *flag = 1;
#endif
}
// CHECK: kernel by_elif
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_elif(int *flag) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 350
  (void)flag;
#elif __CUDA_ARCH__ > 350
  *flag = 1;
#endif
}
// CHECK: kernel nested
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void nested(int *flag) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 350
#if YES
#if __CUDA_ARCH__ + 0 > YES
  *flag = 1;
#endif
#endif
#endif
}
#define AT_LEAST(x) (__CUDA_ARCH__ >= x)
// CHECK: kernel by_function_macro
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_function_macro(int *flag) {
#if AT_LEAST(350)
  *flag = 1;
#endif
}
// Its text, not its value.
#define EITHER YES || YES
#define NEITHER NO || NO
// CHECK: kernel by_text
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_text(int *flag) {
#if NEITHER && EITHER && defined(__CUDA_ARCH__)
  *flag = 1;
#endif
}
#define AGAIN 0
#undef AGAIN
#define AGAIN 900
// CHECK: kernel by_later
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_later(int *flag) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < LATER
  (void)flag;
#else
  *flag = 1;
#endif
}
#define LATER 900
// CHECK: kernel by_redefined
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_redefined(int *flag) {
#if AGAIN < 350 && __CUDA_ARCH__
  (void)flag;
#elif __CUDA_ARCH__ <= AGAIN
#ifdef __CUDA_ARCH__
  *flag = 1;
#endif
#endif
}
// Sides that differ decide what a plain number is.
#ifdef __CUDA_ARCH__
#define CHOSEN 350
#else
#define CHOSEN 900
#endif
#define CHOSEN_TOO CHOSEN
// CHECK: kernel by_chosen
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_chosen(int *flag) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < CHOSEN_TOO
  (void)flag;
#else
  *flag = 1;
#endif
}
// Read before what it stands for is defined.
#define STANDS_FOR SET_LATER
#ifdef __CUDA_ARCH__
#define SET_LATER 1
#else
#define SET_LATER 0
#endif
// CHECK: kernel by_set_later
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_set_later(int *flag) {
#if STANDS_FOR
  *flag = 1;
#endif
}
#if __CUDA_ARCH__ >= 350
#include "Inputs/arch_included.h"
#endif
// CHECK: kernel by_included
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_included(int *flag) {
#ifdef ARCH_INCLUDED
  *flag = 1;
#endif
}
// CHECK: kernel by_included_value
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_included_value(int *flag) {
#if __CUDA_ARCH__ >= 350 && ARCH_INCLUDED
  *flag = 1;
#endif
}
// Unsigned numbers, and what no preprocessor's parser of ours reads.
// CHECK: kernel by_unsigned
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_unsigned(int *flag) {
#if __CUDA_ARCH__ - 1u < 2000 && !0
  *flag = 1;
#endif
}
// CHECK: kernel by_words
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_words(int *flag) {
#if defined(__CUDA_ARCH__) and not defined(_WIN32)
  *flag = 1;
#endif
}
// CHECK: kernel by_builtin
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_builtin(int *flag) {
#if __has_include(<cuda_runtime.h>) && (__CUDA_ARCH__ ? 1 : 0)
  *flag = 1;
#endif
}
// CHECK: kernel by_features
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_features(int *flag) {
#ifndef __CUDA_ARCH_FEAT_SM75_ALL
#if !defined(__CUDA_ARCH_HAS_FEATURE__) && (__CUDA_ARCH__ < 350)
  (void)flag;
#else
  *flag = 1;
#endif
#endif
}
// A directive that goes on behind a comment; a condition in a macro's text.
// CHECK: kernel by_lines
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_lines(int *flag) {
#if YES /* goes
           on */ && defined(__CUDA_ARCH__)
  *flag = 1;
#endif
}
#define CHOICE YES ? 0 : 1
// CHECK: kernel by_choice
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_choice(int *flag) {
#if defined(__CUDA_ARCH__) && CHOICE
  (void)flag;
#else
  *flag = 1;
#endif
}
