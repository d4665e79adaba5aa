// Relocatable device code: other units' symbols by name, shared variables where the simulator puts them.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only -fgpu-rdc %instr -fplugin-arg-gpuinstr-simulate -O1 -S -emit-llvm %s -o - | %FileCheck %s

// CHECK-DAG: @__gpuinstr_sim_elsewhere = external{{.*}} global i32
// CHECK-DAG: @__gpuinstr_sim_here = hidden{{.*}} externally_initialized global i32 3
// CHECK-DAG: @__gpuinstr_sim_offset__ZZ6kernelPiE4tile = internal
// CHECK-DAG: declare {{.*}}i32 @__gpuinstr_sim__Z6remotei(ptr{{.*}}, i32{{.*}})
// CHECK-DAG: define {{.*}}hidden {{.*}}@__gpuinstr_sim__Z5locali(ptr{{.*}}, i32{{.*}})
extern __device__ int elsewhere;
__device__ int here = 3;
__device__ int remote(int);
__device__ __noinline__ int local(int x) { return x + elsewhere; }
__global__ void kernel(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = remote(local(here));
  __syncthreads();
  *out = tile[0];
}
