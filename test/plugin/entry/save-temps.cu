// -save-temps splits the compile: -fpass-plugin rewrites in the last step, without the AST.
// SPDX-License-Identifier: Apache-2.0
// RUN: rm -rf %t.d && mkdir -p %t.d
// RUN: %build_trace
// RUN: cd %t.d && %clangxx_cuda %passplugin -g -O1 -save-temps %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// Both halves together rewrite once.
// RUN: cd %t.d && %clangxx_cuda %instr %passplugin -O1 -save-temps %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=CHECK %s
// RUN: %clangxx_cuda %instr %passplugin -O1 %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck --check-prefixes=CHECK,NAMES %s
__global__ void k(int *p) {}
// CHECK: register save-temps.cu sites={{[0-9]+}}
// CHECK: enter save-temps.cu:[[#@LINE+4]] op=4 cudaMalloc in main
// NAMES-SAME: var=p
int main() {
  int *p;
  cudaMalloc((void **)&p, 4);
  // CHECK: enter save-temps.cu:[[#@LINE+3]] op=19 {{.*}} in main
  // CHECK-NEXT: enter {{.*}} cudaLaunchKernel in k
  // CHECK-NOT: enter {{.*}} cudaLaunchKernel
  k<<<1, 1>>>(p);
  // CHECK: enter save-temps.cu:[[#@LINE+1]] op=5 cudaFree in main
  cudaFree(p);
}
