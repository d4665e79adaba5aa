// One enter and one leave around a launch whose stub is inlined; two where it is not.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -O2 --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,MERGED %s
// RUN: %clangxx_cuda -Os --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,SMALL %s
// RUN: %clangxx_cuda -O0 --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,TWO %s
// RUN: %clangxx_cuda -O2 -fno-inline --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,TWO %s
// RUN: %clangxx_cuda -O2 -g --cuda-host-only %instr %verify -S -emit-llvm -o - %s | %FileCheck --check-prefixes=ALL,MERGED %s

// The table's functions: enter 8, leave 16, enter_launch 192, leave_launch 200.
__global__ void kernel(int *p, int n) { p[n] = 1; }
template <class T> __global__ void filled(T *p, T v) { *p = v; }

// ALL-LABEL: define {{.*}}@_Z6launchPii(
// MERGED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// MERGED: @__cudaPopCallConfiguration(
// MERGED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// MERGED: load ptr, ptr getelementptr {{.*}}@__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// MERGED: call {{.*}}@cudaLaunchKernel(
// MERGED: load ptr, ptr getelementptr {{.*}}@__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// MERGED-NOT: @__gpuinstr_table_v1.
// MERGED: ret void
// TWO: @__gpuinstr_table_v1.{{[0-9]+}}, i64 8)
// TWO: call void @_Z21__device_stub__kernelPii(
// TWO: @__gpuinstr_table_v1.{{[0-9]+}}, i64 16)
// TWO: ret void
void launch(int *p, int n) { kernel<<<1, 32>>>(p, n); }

struct Guard {
  int *p;
  ~Guard();
};
// Where an exception would have to pass a destructor, calls are invokes.
// ALL-LABEL: define {{.*}}@_Z7guardedPf(
// MERGED: invoke {{.*}}@__cudaPopCallConfiguration(
// MERGED-NOT: @__gpuinstr_table_v1.{{[0-9]+}}, i64 {{8|16}})
// MERGED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 192)
// MERGED: invoke {{.*}}@cudaLaunchKernel(
// MERGED: @__gpuinstr_table_v1.{{[0-9]+}}, i64 200)
// TWO: invoke void @_Z21__device_stub__filled
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

// SMALL-LABEL: define {{.*}}@_Z5smallPii(
// SMALL: ret void
void small(int *p, int n) { kernel<<<1, 1>>>(p, n); }
