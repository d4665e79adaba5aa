// C++20 named modules: the sites of a module's interface unit belong to its object.
// SPDX-License-Identifier: Apache-2.0
// RUN: rm -rf %t.d && mkdir -p %t.d
// RUN: %build_trace
// RUN: %clangxx -std=c++20 %instr --precompile %S/Inputs/memory.cppm -o %t.d/memory.pcm
// RUN: %clangxx_plain -std=c++20 %instr %verify -c %t.d/memory.pcm -o %t.d/memory.o
// RUN: %clangxx -std=c++20 -fmodule-file=memory=%t.d/memory.pcm %instr %verify -c %s -o %t.d/main.o
// RUN: %clangxx_plain %t.d/main.o %t.d/memory.o -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
#include <cuda_runtime_api.h>
import memory;
int main() {
  // CHECK: enter memory.cppm:7 op=4 cudaMalloc in get var=p {{.*}}s2=10 <- modules.cpp:[[#@LINE+1]] main
  void *p = get(16);
  // CHECK: enter modules.cpp:[[#@LINE+1]] op=5 cudaFree in main
  cudaFree(p);
}
