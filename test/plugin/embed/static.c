// A fully static program links, with or without a dlopen in it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clang %instr -static -O1 %s -o %t -fplugin-arg-gpuinstr-runtime=/nowhere/rt.so
// RUN: env GPUINSTR_OPTIONS=verbose=1 %t 2>&1 | %FileCheck %s
// CHECK: gpuinstr: {{a static program cannot load libgpuinstr_rt.so|cannot load the runtime /nowhere/rt.so}}
// CHECK: result 7
#include <stdio.h>
#include <cuda_runtime_api.h>
int call(void *);
int main(void) { return call(0); }
int call(void *p) { fprintf(stderr, "result %d\n", cudaFree(p)); return 0; }
__attribute__((used)) static int unused;
__asm__(".globl cudaFree\ncudaFree: movl $7, %eax\nret");
