// nvcc's stubs ask once for the kernel's handle, and give up where no configuration was pushed.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc %nvcc_instr -O2 -Xcompiler -S,-emit-llvm -c %s -o %t.ll && %FileCheck %s < %t.ll
// A runtime that does not know the merged calls is told of both.
// RUN: %build_trace
// RUN: %nvcc %nvcc_instr -O2 %s -o %t -cudart shared
// RUN: %traced %t 2>&1 | %FileCheck --check-prefix=TRACE %s
#include <cstdio>
__global__ void plain(int *p) { *p = 1; }
template <class T> __global__ void filled(T *p, T v) { *p = v; }

// CHECK-LABEL: define {{.*}}@_Z8launchesPfi(
// CHECK: @__cudaPopCallConfiguration(
// CHECK-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// CHECK: @__cudaLaunchKernel(
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// The frame's site is gone unless nothing was launched.
// CHECK: store ptr null, ptr [[FRAME:%[0-9]+]], align 8
// CHECK: [[SITE:%[0-9]+]] = load ptr, ptr [[FRAME]], align 8
// CHECK: icmp {{.*}} [[SITE]], null
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// The template's, in a wrapper of its own.
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// CHECK: @__cudaLaunchKernel(
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// CHECK: ret void
__attribute__((noinline)) void launches(float *p, int n) {
  for (int i = 0; i < n; ++i) {
    plain<<<2, 3, 4>>>(nullptr);
    filled<<<1, 1>>>(p, 1.f);
  }
}
int main() {
  // TRACE: {{^}}enter nvcc-launch.cu:{{.*}} op=19 plain in launches
  // TRACE-NEXT: {{^}}  enter nvcc-launch.cu:{{.*}} op=19 cudaLaunchKernel in plain {{.*}}s12=100000002 s13=1 s14=100000003
  // TRACE-NEXT: {{^}}  leave cudaLaunchKernel
  // TRACE-NEXT: {{^}}leave plain
  // TRACE-NEXT: {{^}}enter nvcc-launch.cu:{{.*}} op=19 filled<float> in launches
  // TRACE-NEXT: {{^}}  enter nvcc-launch.cu:{{.*}} op=19 cudaLaunchKernel in {{.*}}filled<float>
  // TRACE-NEXT: {{^}}  leave cudaLaunchKernel
  // TRACE-NEXT: {{^}}leave filled<float>
  // TRACE: done
  launches(nullptr, 1);
  std::fprintf(stderr, "done\n");
}
