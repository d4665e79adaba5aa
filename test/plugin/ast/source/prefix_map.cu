// File names follow -ffile-prefix-map, -fdebug-prefix-map (the last one wins) and, alone,
// -fmacro-prefix-map; #line counts.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -ffile-prefix-map=%S=/src -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -fdebug-prefix-map=%S=/no -fdebug-prefix-map=%S=/src -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -fmacro-prefix-map=%S=/src -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
__global__ void kernel() {}
int main() {
  // CHECK: {{^}}/src/prefix_map.cu:[[@LINE+1]]:3 main calls kernel() launch
  kernel<<<1, 1>>>();
#line 700 "generated.y"
  // CHECK: {{^}}generated.y:701:10 main calls cudaDeviceSynchronize()
  return cudaDeviceSynchronize();
}
// CHECK: kernel kernel /src/prefix_map.cu:8
// CHECK: joined 2, unjoined 0
