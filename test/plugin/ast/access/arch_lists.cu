// A compile for several architectures: a conditional comes out alike only if it does for each.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 --cuda-gpu-arch=sm_90 -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// CHECK: kernel by_newest
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void by_newest(int *flag) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  *flag = 1;
#endif
}
// CHECK: kernel by_none {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter to : {{.*}} pointer write{{( anywhere)?$}}
__global__ void by_none(int *to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 900
  (void)to;
#else
  *to = 1;
#endif
}
