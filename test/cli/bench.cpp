// tools/bench/all --compare: a program of the user's own, plain against instrumented; wrong arguments
// are one line.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: %clangxx %s -o %t/app.plain %cudart
// RUN: %bench --compare %t/app.plain --pairs 5 --simulate --set audit=off -- %t/app | %FileCheck %s
// CHECK: plain
// CHECK-NEXT: instrumented
// CHECK-NEXT: difference {{.*}} 5 pairs

// RUN: %not %bench many >%t/wrong 2>&1
// RUN: %not %bench 0 >>%t/wrong 2>&1
// RUN: %not %bench 31 more >>%t/wrong 2>&1
// RUN: %not %bench --rounds >>%t/wrong 2>&1
// RUN: %FileCheck %s --check-prefix=WRONG --match-full-lines --input-file %t/wrong
// WRONG: tools/bench/all: 'many' is no number of rounds; a program of yours: --compare -- ./app
// WRONG-NEXT: tools/bench/all: '0' is no {{.*}}
// WRONG-NEXT: tools/bench/all: '31 more' is no {{.*}}
// WRONG-NEXT: tools/bench/all: '--rounds' is no {{.*}}
// WRONG-NOT: {{.}}
#include <cuda_runtime.h>

int main() {
  void *d_x;
  cudaMalloc(&d_x, 64);
  cudaFree(d_x);
}
