// A carried kernel: hidden thread, registers as fields, shared memory as offsets, flags, records.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O1 -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %FileCheck --check-prefix=RECORD %s < %t.ll
// RUN: %FileCheck --check-prefix=FLAT %s < %t.ll
// RUN: %llvm-as %t.ll -o /dev/null

// FLAT-NOT: addrspace
// FLAT-NOT: llvm.nvvm
// FLAT-NOT: ptx_kernel

__constant__ float factor = 2;
__device__ int calls;

// Symbols stay writable for the host: its optimiser must not know their values.
// CHECK-DAG: @__gpuinstr_sim_factor = internal externally_initialized global float 2.000000e+00
// CHECK-DAG: @__gpuinstr_sim_calls = internal externally_initialized global i32 0

__global__ void scale(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= factor;
}

__global__ __launch_bounds__(64) void reverse(int *data) {
  __shared__ int copy[64];
  extern __shared__ int more[];
  copy[threadIdx.x] = data[threadIdx.x];
  more[threadIdx.x] = 1;
  __syncthreads();
  data[threadIdx.x] = copy[63 - threadIdx.x] + more[63 - threadIdx.x];
  atomicAdd(&calls, 1);
}

// No thread waits for another: count threads in one call.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run__Z5scalePfi(
// CHECK: load float, ptr @__gpuinstr_sim_factor
// CHECK-NOT: call
// CHECK: ret void

// Shared memory lies behind the thread: the static one at 16, the dynamic one at 24.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run__Z7reversePi(
// CHECK-DAG: getelementptr{{.*}}ptr %0, i64 16
// CHECK-DAG: getelementptr{{.*}}ptr %0, i64 24
// CHECK: atomicrmw add ptr @__gpuinstr_sim_calls, i32 1
// CHECK: ret void

// Records: stub, name, run, no refusal, parameters {0,8} and {8,4}; flags 0 and STEPS, shared bytes, bound, frame.
// RECORD-DAG: c"_Z5scalePfi\00"
// RECORD-DAG: [2 x { i32, i32 }] [{ i32, i32 } { i32 0, i32 8 }, { i32, i32 } { i32 8, i32 4 }]
// RECORD-DAG: { ptr @_Z20__device_stub__scalePfi, ptr @{{.*}}, ptr @__gpuinstr_sim_run__Z5scalePfi, ptr null, ptr @{{.*}}, i32 2, i32 0, i32 0, i32 {{0|1024}}, i32 0 }
// RECORD-DAG: { ptr @_Z22__device_stub__reversePi, ptr @{{.*}}, ptr @__gpuinstr_sim_run__Z7reversePi, ptr null, ptr @{{.*}}, i32 1, i32 4, i32 256, i32 64, i32 {{[0-9]+}} }
// RECORD-DAG: { ptr @factor, ptr @{{.*}}, ptr @__gpuinstr_sim_factor, i64 4, i32 1, i32 256 }
// RECORD-DAG: @llvm.global_ctors = {{.*}}__gpuinstr_sim_ctor
