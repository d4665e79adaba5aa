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
// CHECK-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// CHECK: call void @_Z{{.*}}__device_stub__Z5plainPiPi.gpuinstr(
// CHECK: icmp ne ptr {{.*}}, null
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// CHECK: call void @{{.*}}6filledIfEvPT_S0_{{.*}}.gpuinstr(
// CHECK: ret void
// CHECK-LABEL: define internal {{.*}}__device_stub__Z5plainPiPi.gpuinstr(
// CHECK: @__cudaPopCallConfiguration(
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// CHECK: @__cudaLaunchKernel(
// CHECK: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// CHECK: store ptr null
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
