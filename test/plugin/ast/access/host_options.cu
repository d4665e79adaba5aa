// Options that the device's compile does not get: what depends on them may differ there.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -std=c++17 -fopenmp --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=OPENMP %s < %t.txt
// RUN: %clangxx_cuda -std=c++17 -fsanitize=address -fstack-protector-all --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.address.txt
// RUN: %FileCheck %s < %t.address.txt
#include <cuda_runtime.h>

// CHECK: kernel with_openmp
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_openmp(int *flag) {
#ifndef _OPENMP
  *flag = 1;
#endif
}
// CHECK: kernel with_sanitizer
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_sanitizer(int *flag) {
#if !defined(__SANITIZE_ADDRESS__)
  *flag = 1;
#endif
}
// CHECK: kernel with_feature
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_feature(int *flag) {
#if !__has_feature(address_sanitizer)
  *flag = 1;
#endif
}
// CHECK: kernel with_protector
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_protector(int *flag) {
#ifndef __SSP_ALL__
  *flag = 1;
#endif
}
// CHECK: kernel with_builtin
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_builtin(int *flag) {
#if __has_builtin(__nvvm_barrier0)
  *flag = 1;
#endif
}
// CHECK: kernel with_target
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_target(int *flag) {
#if __is_target_arch(nvptx64)
  *flag = 1;
#endif
}
// CHECK: kernel with_storage
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_storage(int *flag) {
#if !__has_feature(tls)
  *flag = 1;
#endif
}
// CHECK: kernel with_builtin_of_host
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_builtin_of_host(int *flag) {
#if !__has_builtin(__builtin_cpu_supports)
  *flag = 1;
#endif
}
// CHECK: kernel with_attribute
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void with_attribute(int *flag) {
#if !__has_attribute(ifunc)
  *flag = 1;
#endif
}
// OPENMP: kernel with_pragma
// OPENMP-NOT: ends
// OPENMP-NEXT: parameter flags : {{.*}} unknown
__host__ __device__ inline void fill(int *flags, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i)
    flags[i] = 1;
}
__global__ void with_pragma(int *flags, int n) { fill(flags, n); }
// The same on both sides.
// CHECK: kernel alike
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer{{$}}
__global__ void alike(int *flag) {
#if defined(_WIN32) || !__has_builtin(__builtin_expect) || !__has_feature(cxx_lambdas)
  *flag = 1;
#endif
}
