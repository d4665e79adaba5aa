// What the simulator cannot do is named in the kernel's record, which then has nothing to run.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O2 -S -emit-llvm %s -o - | %FileCheck %s

// CHECK-DAG: @[[ASM:.*]] = private constant {{.*}} c"inline PTX 'pmevent 1'\00"
// CHECK-DAG: ptr @{{.*}}__device_stub__waitsPi, ptr @{{.*}}, ptr null, ptr @[[ASM]],
__global__ void waits(int *data) {
  asm volatile("pmevent 1;");
  *data = 1;
}

// CHECK-DAG: @[[TEX:.*]] = private constant {{.*}} c"texture or surface operation 'tex.2d.v4.f32.f32 {{.*}}'\00"
// CHECK-DAG: ptr @{{.*}}__device_stub__samplesPfy, ptr @{{.*}}, ptr null, ptr @[[TEX]],
__device__ float sample(unsigned long long texture) { return tex2D<float>(texture, 0.5f, 0.5f); }
__global__ void samples(float *data, unsigned long long texture) { *data = sample(texture); }

// An operation that does more than the one of the same name.
// CHECK-DAG: @[[RED:.*]] = private constant {{.*}} c"inline PTX 'red.async{{[^']*}}'\00"
// CHECK-DAG: ptr @{{.*}}__device_stub__signalsPj, ptr @{{.*}}, ptr null, ptr @[[RED]],
__global__ void signals(unsigned *to) {
  asm volatile("red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.inc.u32 [%0], 1, [%0];" ::"l"(to));
}

// A neighbour is not concerned.
// CHECK-DAG: ptr @{{.*}}__device_stub__finePi, ptr @{{.*}}, ptr @__gpuinstr_sim_run__Z4finePi, ptr null,
__global__ void fine(int *data) { *data = 1; }
