// Device variables lie at multiples of 256 bytes, as the driver places them: a kernel may load them
// wider than their type.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O1 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-DAG: @__gpuinstr_sim_table = internal externally_initialized global [9 x i32] {{.*}}, align 256
// CHECK-DAG: @__gpuinstr_sim_odd = internal externally_initialized global i8 {{.*}}, align 256
__device__ char odd = 1;
__constant__ int table[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

__global__ void wide(int4 *out) {
  out[threadIdx.x] = reinterpret_cast<const int4 *>(table)[threadIdx.x];
  odd = 2;
}

void launch(int4 *out) { wide<<<1, 2>>>(out); }
