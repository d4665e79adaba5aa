// The static runtime library: no CUDA shared library at all in the program.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx_cuda %instr -O2 %s -o %t %cudart_static
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %llvm-readelf -d %t | %FileCheck --check-prefix=ELF %s
// ELF-NOT: libcudart
// CHECK: enter static-cudart.cu:[[#@LINE+1]] op=4 cudaMalloc in main
int main() { int *p; cudaMalloc(&p, 4); cudaFree(p); }
