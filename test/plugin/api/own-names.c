// The program's own functions that are called like CUDA's are no sites.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// CHECK-NOT: other
// CHECK: own-names.c:[[#@LINE+9]]:{{.*}}: other cudaGetDevice(&d)
// CHECK-NOT: other
#include <cuda_runtime_api.h>
int cudaMine(int);
int curlInit(void);
int cutDown(int x) { return x; }
const char *cudaText(void);
int f(void) {
  int d;
  cudaGetDevice(&d);
  cudaGetErrorString(0);
  return cudaMine(1) + cutDown(2) + curlInit() + (cudaText() != 0);
}
