// In an image at fixed addresses a function's address may stand in any code as a number. Data that
// reads so is none of it, though some linkers put it into the segment of the code.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: lld
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr -O2 -fno-pic -c %s -o %t/main.o
// RUN: %clangxx -O2 -fno-pic -DDATA -c %s -o %t/data.o
// RUN: %clangxx -no-pie -fuse-ld=lld -Wl,--no-rosegment %t/main.o %t/data.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -no-pie -Wl,-z,noseparate-code %t/main.o %t/data.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -no-pie -Wl,-z,noseparate-code -s %t/main.o %t/data.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clangxx -no-pie %t/main.o %t/data.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck --check-prefix=SEEN %s
// SEEN-NOT: NOT instrumented
// SEEN: SUMMARY
// Each way in which code without the plugin can take one.
// RUN: %clangxx -O2 -fno-pic -DTAKES -c %s -o %t/takes.o
// RUN: %clangxx -no-pie -fuse-ld=lld -Wl,--no-rosegment %t/main.o %t/takes.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// RUN: %clangxx -no-pie -s %t/main.o %t/takes.o -o %t/a %cudart && %sim %t/a 2>&1 | %FileCheck %s
// CHECK: NOT instrumented: parts of a that call cudaMemcpy, cudaMemcpyAsync, cudaMemset and 4 more:
#include <cuda_runtime_api.h>
#ifdef DATA
asm(".section .rodata\n.byte 0xbf\n.long cudaFree\n.byte 0x68\n.long cudaMalloc, 1\n.text\n.byte 0xff, 0\n.long cudaFree\n"
    ".byte 0xc7, 0x45\n.long cudaFree\n.long cudaMalloc, 0, cudaMalloc\n");
#elif defined(TAKES)
extern "C" void takes();
void takes() {
  asm volatile("mov $cudaMemset, %edi\n"
               "mov $cudaMemcpy, %r9d\n"
               "push $cudaFreeAsync\n"
               "movq $cudaMallocAsync, %rax\n"
               "movq $cudaMemcpyAsync, 8(%rsp)\n"
               "movq $cudaMemsetAsync, takes(%rip)\n"
               "movq $cudaDeviceSynchronize, 0x1234(%rax,%rbx,8)\n");
}
#else
int main() {
  void *p = nullptr;
  cudaMalloc(&p, 64);
  cudaFree(p);
}
#endif
