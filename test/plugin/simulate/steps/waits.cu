// Only loops on memory that others change make threads wait: the flag, and the call that lets others run.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O2 -S -emit-llvm %s -o - | %FileCheck %s

// Flags are the number behind that of the parameters.
// CHECK-DAG: ptr @__gpuinstr_sim_run__Z5countPi, ptr null, ptr @{{[^,]*}}, i32 1, i32 0,
// CHECK-DAG: ptr @__gpuinstr_sim_run__Z4spinPi, ptr null, ptr @{{[^,]*}}, i32 1, i32 20,
// CHECK-DAG: ptr @__gpuinstr_sim_run__Z5pollsPVi, ptr null, ptr @{{[^,]*}}, i32 1, i32 20,
// CHECK-DAG: ptr @__gpuinstr_sim_run__Z7throughPFviEi, ptr null, ptr @{{[^,]*}}, i32 2, i32 3,
__global__ void count(int *n) {
  for (int i = 0; i < 4; ++i)
    atomicAdd(n, i);
}
// CHECK-LABEL: define internal void @__gpuinstr_sim_run__Z4spinPi
// CHECK: cmpxchg
// CHECK: getelementptr{{.*}} i64 [[#BUDGET:]]
__global__ void spin(int *lock) {
  while (atomicCAS(lock, 0, 1))
    ;
  *lock = 0;
}
__global__ void polls(volatile int *flag) {
  while (!*flag)
    ;
}
__global__ void through(void (*f)(int), int x) { f(x); }
