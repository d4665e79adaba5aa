// Calls join their descriptions with and without columns and debug information, at every level,
// and the output gains no debug section.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -O2 -c %s -o %t.o | %FileCheck %s
// RUN: %llvm-readelf -S %t.o | %FileCheck %s --check-prefix=SECTIONS
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -g -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -gline-tables-only -gno-column-info -c %s -o %t.o | %FileCheck %s --check-prefix=LINES
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -flto=thin -O1 -c %s -o %t.o | %FileCheck %s
// SECTIONS-NOT: .debug_
#include <cuda_runtime.h>
__global__ void kernel(int i) {}
template <class T> void both(T *p) {
  // CHECK-DAG: columns.cu:[[@LINE+3]]:3 both<int> calls cudaFree(p) variable=p type=int discarded
  // CHECK-DAG: columns.cu:[[@LINE+2]]:3 both<float> calls cudaFree(p) variable=p type=float discarded
  // CHECK-DAG: columns.cu:[[@LINE+1]]:16 both<int> calls cudaFree(p + 1) variable=p type=int discarded
  cudaFree(p), cudaFree(p + 1);
}
int main() {
  both((int *)nullptr), both((float *)nullptr);
  // CHECK-DAG: columns.cu:[[@LINE+2]]:3 main calls kernel(1) launch
  // CHECK-DAG: columns.cu:[[@LINE+1]]:24 main calls kernel(2) launch
  kernel<<<1, 1>>>(1), kernel<<<1, 1>>>(2);
  return cudaFree(nullptr) + cudaFree(0);
}
// CHECK: joined 10, unjoined 0, described 10
// LINES: both<int> calls cudaFree(p){{.*}} discarded{{$}}
// LINES: both<int> calls cudaFree(p + 1){{.*}} discarded ordinal=1
// LINES: joined 10, unjoined 0, described 10
