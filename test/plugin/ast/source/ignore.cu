// `// gpuinstr-ignore:` counts on the lines of the call and alone on the line above it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// From preprocessed text, as with -save-temps and ccache, too:
// RUN: %clangxx_cuda --cuda-host-only -E %s -o %t.cui
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %t.cui -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#define CHECK(call) if (call) return 1
int main() {
  void *p;
  // CHECK: [[@LINE+1]]:3 main calls cudaMalloc(&p | 1){{.*}} ignore='leak the cache lives on'
  cudaMalloc(&p, 1); // gpuinstr-ignore: leak   the cache lives on
  // CHECK: [[@LINE+1]]:3 main calls cudaMalloc(&p | 2){{.*}} discarded{{$}}
  cudaMalloc(&p, 2);
  // CHECK: [[@LINE+2]]:3 main calls cudaMalloc(&p | 3){{.*}} ignore='leak above'
  // gpuinstr-ignore: leak above
  cudaMalloc(&p, 3);
  // CHECK: [[@LINE+2]]:{{[0-9]+}} main calls cudaMalloc(&p | 4){{.*}} ignore='leak in a macro'
  /* gpuinstr-ignore: leak in a macro */
  CHECK(cudaMalloc(&p, 4));
  // CHECK: [[@LINE+1]]:3 main calls cudaMalloc(&p | 5){{.*}} ignore='leak at its end'
  cudaMalloc(&p,
             5); // gpuinstr-ignore: leak at its end
  // CHECK: [[@LINE+2]]:3 main calls cudaMalloc(&p | 6){{.*}} discarded{{$}}
  const char *text = "gpuinstr-ignore: leak in a string";
  cudaMalloc(&p, 6);
  return !text;
}
