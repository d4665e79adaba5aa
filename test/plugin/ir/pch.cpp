// Sites in inline functions of a precompiled header.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -x c++-header %S/Inputs/buffer.h -o %t.pch %instr
// RUN: %clangxx -include-pch %t.pch %instr %verify -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// RUN: %clangxx -include %S/Inputs/buffer.h %instr %verify -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// CHECK: pch.cpp:[[#@LINE+3]]:{{.*}}: caller Buffer::Buffer
// CHECK: buffer.h:7:{{.*}}: alloc cudaMalloc({{.*}}) -> {{.*}}data{{.*}} in Buffer::Buffer {{.*}}<- {{.*}}pch.cpp:[[#@LINE+2]]
// CHECK: buffer.h:8:{{.*}}: free cudaFree(this->data){{.*}} in Buffer::~Buffer
int main() { Buffer b(16); }
