// Blocks of a cluster wait for each other by PTX's barrier; addresses that numbers are made into.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
//
// RUN: %facts --cuda-gpu-arch=sm_90 -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_90 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s

// CHECK: kernel cluster {{.*}}stub={{[^ ]*}} keeps-globals
// CHECK-NEXT:   parameter a : int * 8 pointer write anywhere
__global__ void cluster(int *a) {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  a[0] = 1;
}
// CHECK: kernel block {{.*}} ends keeps-globals
__global__ void block(int *a) {
  asm volatile("barrier.cta.sync 0;" ::: "memory");
  a[0] = 1;
}
// CHECK: kernel fence {{.*}} ends keeps-globals
__global__ void fence(int *a) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  a[0] = 1;
}
// CHECK: kernel made
// CHECK-NEXT:   parameter table : {{.*}}read{{.*}}unknown
__global__ void made(const unsigned long long *table) {
  *static_cast<float *>(__cvta_global_to_generic(table[0])) = 1;
}
