// A compiler of another LLVM is refused with one line that names both, and status 1.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: clang19, llvm-22
// RUN: %not /usr/lib/llvm-19/bin/clang++ %instr -c %s -o %t.o > %t.txt 2>&1
// RUN: %count 1 < %t.txt
// RUN: %FileCheck %s < %t.txt
// CHECK: error: gpuinstr: this plugin is built for LLVM 22, the compiler is LLVM 19: use libgpuinstr-19.so
// RUN: %not %clangxx %instr19 -c %s -o %t.o > %t.txt 2>&1
// RUN: %count 1 < %t.txt
// RUN: %FileCheck %s --check-prefix=OLD < %t.txt
// OLD: error: gpuinstr: this plugin is built for LLVM 19, the compiler is LLVM 22: use libgpuinstr-22.so
int main() { return 0; }
