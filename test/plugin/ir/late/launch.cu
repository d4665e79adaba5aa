// One enter and one leave around a launch, whether its stub is inlined or called; two where nothing is optimised.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -O2 --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,INLINED %s
// RUN: %clangxx_cuda -O2 -g --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,INLINED %s
// RUN: %clangxx_cuda -O2 -fno-inline --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,CALLED %s
// RUN: %clangxx_cuda -O1 -g -fno-inline --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,CALLED %s
// RUN: %clangxx_cuda -O2 -g -fno-inline --cuda-host-only %instr -c -o /dev/null %s
// RUN: %clangxx_cuda -O0 --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,TWO %s

// The table's functions: enter 8, leave 16, enter_launch 192, leave_launch 200.
__global__ void kernel(int *p, int n) { p[n] = 1; }
template <class T> __global__ void filled(T *p, T v) { *p = v; }

// ALL-LABEL: define {{.*}}@_Z6launchPii(
// INLINED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// INLINED: @__cudaPopCallConfiguration(
// INLINED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// INLINED: load ptr, ptr getelementptr {{.*}}@__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// INLINED: call {{.*}}@cudaLaunchKernel(
// INLINED: load ptr, ptr getelementptr {{.*}}@__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// INLINED-NOT: @__gpuinstr_table_v1.
// CALLED: store ptr @__gpuinstr_site.{{.*}}, ptr [[FRAME:%.*]], align 8
// CALLED-NOT: @__gpuinstr_table_v1.
// CALLED: call void @_Z21__device_stub__kernelPii.gpuinstr(ptr {{.*}}, i32 {{.*}}, ptr {{.*}}[[FRAME]])
// CALLED: [[SITE:%.*]] = load ptr, ptr [[FRAME]], align 8
// CALLED: icmp ne ptr [[SITE]], null
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// TWO: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// TWO: call void @_Z21__device_stub__kernelPii(
// TWO: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// ALL: ret void
void launch(int *p, int n) { kernel<<<1, 32>>>(p, n); }

struct Guard {
  int *p;
  ~Guard();
};
// Where an exception would have to pass a destructor, calls are invokes.
// ALL-LABEL: define {{.*}}@_Z7guardedPf(
// INLINED: invoke {{.*}}@__cudaPopCallConfiguration(
// INLINED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// INLINED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// INLINED: invoke {{.*}}@cudaLaunchKernel(
// INLINED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// CALLED: invoke void @{{.*}}__device_stub__filled{{.*}}.gpuinstr(
// TWO: invoke void @{{.*}}__device_stub__filled
void guarded(float *p) {
  Guard guard{nullptr};
  filled<<<2, 64>>>(p, 1.f);
}

// Nobody sees what a pointer launches.
// ALL-LABEL: define {{.*}}@_Z7pointerPFvPiiE(
// ALL: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// ALL-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// ALL: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
void pointer(void (*f)(int *, int)) { f<<<1, 1>>>(nullptr, 1); }

// All that call a stub call its body, which other calls get through the stub.
// CALLED-LABEL: define {{.*}}@_Z5againPii(
// CALLED: call void @_Z21__device_stub__kernelPii.gpuinstr(
// CALLED: ret void
void again(int *p, int n) { kernel<<<1, 1>>>(p, n); }

// CALLED-LABEL: define internal void @_Z21__device_stub__kernelPii.gpuinstr(
// CALLED: icmp ne ptr [[USER:%[0-9a-z]+]], null
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// CALLED-NEXT: call void %{{.*}}(ptr [[USER]], ptr %{{.*}})
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// CALLED: call {{.*}}@cudaLaunchKernel(
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// CALLED: store ptr null, ptr [[USER]], align 8
// CALLED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// CALLED: ret void
