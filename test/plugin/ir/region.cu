// A header-only library's call is one region; all that happens inside is inner to it.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %clangxx_cuda %cccl --cuda-host-only %instr %verify -O1 -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites=%t.txt -Wno-pass-failed
// RUN: %FileCheck %s < %t.txt
#include <thrust/device_vector.h>
#include <thrust/sort.h>
void run(int n) {
  // CHECK-DAG: region.cu:[[#@LINE+1]]:{{.*}}: region thrust::{{.*}}device_vector{{.*}} in run
  thrust::device_vector<int> v(n);
  // CHECK-DAG: region.cu:[[#@LINE+1]]:{{.*}}: region thrust::sort{{.*}} in run
  thrust::sort(v.begin(), v.end());
}
// CHECK-DAG: {{.*}}: alloc cudaMalloc({{.*}} in thrust::{{.*}}inner
// CHECK-DAG: {{.*}}: launch cudaLaunchKernel({{.*}}inner
// No site of the program's own file is inner, and no other file's is outer.
// RUN: %FileCheck --check-prefix=OUTER %s < %t.txt
// OUTER-NOT: region.cu:{{.*}}inner
// OUTER: region.cu:
