// Arguments are kept as the source spells them: macros unexpanded, white space folded, long ones
// shortened in the middle.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#define COUNT 1024
#define BYTES(n) ((n) * sizeof(float))
#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess)                                                                     \
      return 1;                                                                                    \
  } while (0)
#define ALLOC(p, n) cudaMalloc(&p, (n) * 4)

__global__ void scale(float *x, float by, int n) {}

int main() {
  float *d, *a_rather_long_name_for_an_offset_that_goes_on = nullptr;
  // CHECK: arguments.cu:[[@LINE+1]]:9 main calls cudaMalloc((void **)&d | COUNT * sizeof(float))
  CHECK(cudaMalloc((void **)&d, COUNT * sizeof(float)));
  // CHECK: arguments.cu:[[@LINE+1]]:9 main calls cudaMemset(d | 0 | BYTES(COUNT))
  CHECK(cudaMemset(d, 0, BYTES(COUNT)));
  // CHECK: arguments.cu:[[@LINE+1]]:3 main calls cudaMemset(d | '(' | 3 + 4)
  cudaMemset(d,    '(',
      3 +	// a comment is text, too
      4);
  // A call that stands in a macro shows the macro's own arguments in its place.
  // CHECK: arguments.cu:[[@LINE+1]]:3 main calls cudaMalloc(&d | (COUNT + 1) * 4)
  ALLOC(d, COUNT + 1);
  // CHECK: arguments.cu:[[@LINE+1]]:3 main calls scale(d + 1 | 2.5f | COUNT / 2) launch
  scale<<<COUNT / 256, 256>>>(d + 1, 2.5f, COUNT / 2);
  // CHECK: arguments.cu:[[@LINE+1]]:3 main calls cudaMemcpy(d | a_rather_long_name_for_an_offset_that_g..._long_name_for_an_offset_that_goes_on) | 4 |
  cudaMemcpy(d, a_rather_long_name_for_an_offset_that_goes_on + (d - a_rather_long_name_for_an_offset_that_goes_on), 4, cudaMemcpyDefault);
  // Default arguments are not spelled.
  // CHECK: arguments.cu:[[@LINE+1]]:3 main calls cudaMallocManaged(&d | COUNT)
  cudaMallocManaged(&d, COUNT);
  return 0;
}
// CHECK: joined {{[0-9]+}}, unjoined 0
