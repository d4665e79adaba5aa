// The program's own functions and variables may be called like what the bootstrap uses.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clang %instr %verify %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr %verify -O2 %s -o %t %cudart && %traced %t 2>&1 | %FileCheck %s
// RUN: %clang %instr -O2 -flto %s -o %t %cudart -fuse-ld=lld && %traced %t 2>&1 | %FileCheck %s
// CHECK: register own-symbols.c
// CHECK: enter own-symbols.c:[[#@LINE+7]] op=4 cudaMalloc in allocate {{.*}}s2=3
// CHECK: results 7 3 2
#include <cuda_runtime_api.h>
extern int printf(const char *, ...);
static long write(int fd) { return fd + 6; }
static int environ = 3;
static float dlopen(float x) { return x * 2; }
static void *allocate(void) { void *p = 0; cudaMalloc(&p, environ); return p; }
int main(int argc, char **argv) {
  (void)argv;
  allocate();
  printf("results %ld %d %d\n", write(argc), environ, (int)dlopen(argc));
  return 0;
}
