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

#ifdef __CUDA_ARCH__
#import "Inputs/device_imported.h"
#define NAMED_FILE "Inputs/device_named.h"
#include NAMED_FILE
#endif

#define POPPED 1
#pragma push_macro("POPPED")
#undef POPPED
#define POPPED 0
#ifdef __CUDA_ARCH__
#pragma pop_macro("POPPED")
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
// CHECK: kernel by_import
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_import(int *flag) {
#ifdef IMPORTED
  *flag = 1;
#endif
}
// CHECK: kernel by_named_file
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_named_file(int *flag) {
#ifdef FROM_A_NAMED_FILE
  *flag = 1;
#endif
}
// CHECK: kernel by_popped
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_popped(int *flag) {
#if POPPED
  *flag = 1;
#endif
}
// Popped by both sides, pushed as it differs.
#ifdef __CUDA_ARCH__
#define PUSHED 1
#else
#define PUSHED 0
#endif
#pragma push_macro("PUSHED")
#undef PUSHED
#define PUSHED 2
#pragma pop_macro("PUSHED")
// CHECK: kernel by_pushed
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_pushed(int *flag) {
#if PUSHED
  *flag = 1;
#endif
}
// Names that are found without their namespace's.
namespace of_host {
__device__ inline void found(int *) {}
} // namespace of_host
namespace of_device {
__device__ inline void found(int *to) { *to = 1; }
} // namespace of_device
#ifdef __CUDA_ARCH__
using namespace of_device;
#else
using namespace of_host;
#endif
// CHECK: kernel by_using
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_using(int *flag) { found(flag); }
namespace of_both {
__device__ inline void used(int *to) { *to = 1; }
} // namespace of_both
using namespace of_both;
// CHECK: kernel uses_both
// CHECK-NEXT: parameter to : {{.*}} write
__global__ void uses_both(int *to) { used(to); }
// A namespace that is inline on the device alone.
inline namespace
#ifdef __CUDA_ARCH__
    inlined_on_device
#else
    inlined_on_host
#endif
{
}
namespace inlined_on_device {
__device__ inline void inlined(int *to) { *to = 1; }
} // namespace inlined_on_device
namespace inlined_on_host {
__device__ inline void inlined(int *) {}
} // namespace inlined_on_host
// CHECK: kernel by_inline
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_inline(int *flag) { inlined(flag); }
// A directive goes on behind a comment of several lines, a name behind a backslash.
// clang-format off
// CHECK: kernel by_lines
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_lines(int *flag) {
#if defined(_WIN32) || /* what
                          follows */ defined(__CUDA_ARCH__)
  *flag = 1;
#endif
}
// CHECK: kernel by_continued_name
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_continued_name(int *flag) {
#ifdef __CUDA_\
ARCH__
  *flag = 1;
#endif
}
// clang-format on
// CHECK: kernel alike
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer{{$}}
__global__ void alike(int *flag) {
#ifndef ALIKE
  *flag = 1;
#endif
}
