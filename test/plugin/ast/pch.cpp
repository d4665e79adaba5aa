// Functions that a PCH or a module brings along are described where they are emitted.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -std=c++17 %instr -x c++-header %S/Inputs/buffer.h -o %t.pch
// RUN: %clangxx -std=c++17 %instr -fplugin-arg-gpuinstr-dump-ast -include-pch %t.pch -c %s -o %t.o | %FileCheck %s
// RUN: rm -rf %t.cache
// RUN: %clangxx -std=c++17 %instr -fplugin-arg-gpuinstr-dump-ast -fmodules -fmodules-cache-path=%t.cache -fmodule-map-file=%S/Inputs/module.modulemap -I%S/Inputs -DINCLUDE -c %s -o %t.o | %FileCheck %s
#ifdef INCLUDE
#include "buffer.h"
#endif
static void use(lib::Buffer<int> &b) {
  // CHECK-DAG: pch.cpp:[[@LINE+1]]:3 use calls cudaMemcpy(b.data | nullptr | 4 | cudaMemcpyDefault) variable=b.data type=int discarded
  cudaMemcpy(b.data, nullptr, 4, cudaMemcpyDefault);
}
int main() {
  // CHECK-DAG: pch.cpp:[[@LINE+1]]:20 main calls lib::Buffer<int>::Buffer(3) variable=b type=lib::Buffer<int>
  lib::Buffer<int> b(3);
  use(b);
  lib::set(b.data);
  return !lib::make(4);
}
// CHECK-DAG: buffer.h:9:38 lib::Buffer<int>::Buffer calls cudaMalloc((void **)&data | n * sizeof(T)) variable=this->data type=int discarded
// CHECK-DAG: buffer.h:10:15 lib::Buffer<int>::~Buffer calls cudaFree(data) variable=this->data type=int discarded
// CHECK-DAG: buffer.h:14:27 lib::make::lambda calls cudaMalloc((void **)&made | n) variable=made type=float
// CHECK-DAG: buffer.h:17:41 lib::set<int> calls cudaMemset(where | 0 | sizeof(T)) variable=where type=int discarded
// CHECK-NOT: never
// CHECK: joined {{[0-9]+}}, unjoined 0
