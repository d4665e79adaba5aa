// A vector access of inline PTX is one access: CUB's scans read a status and its value together.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -fplugin-arg-gpuinstr-simulate -O2 -S -emit-llvm %s -o - | %FileCheck %s

// CHECK-LABEL: define internal void @__gpuinstr_sim_run__Z5pairsP5uint2S0_
// CHECK: load atomic i64, {{.*}} monotonic, align 8
// CHECK: store atomic i64 {{.*}} release, align 8
__global__ void pairs(uint2 *from, uint2 *to) {
  uint2 v;
  asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from) : "memory");
  asm volatile("st.release.gpu.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(v.y), "r"(v.x) : "memory");
}

// x86-64 has no other atomic access of 16 bytes that does not write.
// CHECK-LABEL: define internal void @__gpuinstr_sim_run__Z5wholeP10ulonglong2S0_
// CHECK: load volatile <2 x i64>, {{.*}}, align 16
// CHECK-NEXT: fence acquire
// CHECK: fence release
// CHECK-NEXT: store volatile <2 x i64> {{.*}}, align 16
__global__ void whole(ulonglong2 *from, ulonglong2 *to) {
  ulonglong2 v;
  asm volatile("ld.acquire.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(v.x), "=l"(v.y) : "l"(from) : "memory");
  asm volatile("st.release.gpu.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(v.y), "l"(v.x) : "memory");
}
