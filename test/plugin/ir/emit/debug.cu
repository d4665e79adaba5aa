// Lines without -g leave no debug section; with -g the program's own debug info verifies.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O2 -c %s -o %t.o
// RUN: %llvm-readelf -S %t.o | %FileCheck --check-prefix=PLAIN %s
// PLAIN-NOT: .debug_
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O2 -g -c %s -o %t.g.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// RUN: %llvm-dwarfdump --verify %t.g.o
// CHECK: debug.cu:[[#@LINE+1]]:{{[0-9]+}}: alloc cudaMalloc
void f(float **p) { cudaMalloc(p, 4); }
