// Macros that only the device defines, in lines that the host's compile skips: what they choose may
// differ there.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

#include <nv/target>

#ifdef __CUDA_ARCH__
#define ON_DEVICE
#endif

#if defined(_WIN32)
#define PLATFORM 1
#elif defined(__CUDA_ARCH__)
#  define PLATFORM 2 // the blanks are no accident
#endif

#ifdef __CUDA_ARCH__
#include "Inputs/device_only.h"
#else
#define OTHER_THAN_DEVICE
#endif

#ifdef __CUDA_ARCH__
#define CHOSEN_FILE "Inputs/device_only_too.h"
/* a comment */ #define BEHIND_A_COMMENT
#else
#define CHOSEN_FILE "Inputs/host_only.h"
#endif
#include CHOSEN_FILE

#ifdef ON_DEVICE
#define FOLLOWS
#endif

#ifndef _WIN32
#define ALIKE
#endif

// CHECK: kernel by_macro
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_macro(int *flag) {
#ifdef ON_DEVICE
  *flag = 1;
#endif
}
// CHECK: kernel by_elif
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_elif(int *flag) {
#if PLATFORM == 2
  *flag = 1;
#endif
}
// CHECK: kernel by_file
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_file(int *flag) {
#if FROM_A_FILE
  *flag = 1;
#endif
}
// CHECK: kernel by_next
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_next(int *flag) {
#if defined(FOLLOWS)
  *flag = 1;
#endif
}
// CHECK: kernel by_comment
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_comment(int *flag) {
#ifdef BEHIND_A_COMMENT
  *flag = 1;
#endif
}
// CHECK: kernel of_chosen_file
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void of_chosen_file(int *flag) { chosen(flag); }
// CHECK: kernel by_target
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_target(int *flag) { NV_IF_TARGET(NV_IS_DEVICE, (*flag = 1;)) }
// CHECK: kernel by_newer_target
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_newer_target(int *flag) { NV_IF_TARGET(NV_PROVIDES_SM_70, (*flag = 1;)) }
// CHECK: kernel alike
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer{{$}}
__global__ void alike(int *flag) {
#ifndef ALIKE
  *flag = 1;
#endif
}
