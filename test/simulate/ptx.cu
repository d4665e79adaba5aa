// Inline PTX of the documented list; another instruction is refused by name when it is launched.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: pmevent 1
// CHECK: RIGHT
#include "Inputs/check.h"

__global__ void listed(unsigned long long *out, unsigned a, unsigned b) {
  unsigned lane, lo, hi, picked;
  unsigned long long wide;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0; }"
      : "=r"(lo), "=r"(hi)
      : "r"(a), "r"(b), "r"(a));
  asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 10, 20, p; }"
      : "=r"(picked)
      : "r"(lane), "r"(4u));
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
  unsigned long long packed;
  asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(lo), "r"(hi));
  unsigned field, logic, shifted;
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(field) : "r"(a));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(logic) : "r"(a), "r"(b), "r"(lane));
  asm("shl.b32 %0, %1, 40;" : "=r"(shifted) : "r"(a));
  unsigned long long *mine = out + lane * 8;
  asm volatile("st.global.u64 [%0], %1;" ::"l"(mine), "l"(packed) : "memory");
  asm volatile("st.volatile.global.u64 [%0+8], %1;" ::"l"(mine), "l"(wide) : "memory");
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(out + 256), "r"(2) : "memory");
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(out + 257), "r"(lane) : "memory");
  asm volatile("ld.global.nc.u64 %0, [%1+8];" : "=l"(wide) : "l"(mine));
  mine[2] = wide, mine[3] = picked, mine[4] = field, mine[5] = logic, mine[6] = shifted;
  __shared__ unsigned tile[32];
  unsigned address = (unsigned)__cvta_generic_to_shared(&tile[lane]), back;
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(lane + 7) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(back) : "r"(address) : "memory");
  mine[7] = back + tile[31 - lane];
}
__global__ void unlisted(int *out) {
  asm volatile("pmevent 1;");
  *out = 1;
}

int main() {
  unsigned long long *out;
  cudaMallocManaged(&out, 260 * sizeof *out);
  for (int i = 0; i < 260; ++i)
    out[i] = 0;
  const unsigned a = 0xdeadbeef, b = 0x12345678;
  listed<<<1, 32>>>(out, a, b);
  check("run", int(cudaDeviceSynchronize()), 0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned long long *mine = out + lane * 8, product = (unsigned long long)a * b;
    check("carry", mine[0], product + a);
    check("wide", mine[1], product);
    check("load", mine[2], product);
    check("select", mine[3], lane < 4 ? 10 : 20);
    check("field", mine[4], a >> 4 & 255);
    check("logic", mine[5], a ^ b ^ lane);
    check("shift", mine[6], 0);
    check("shared", mine[7], lane + 7 + 31 - lane + 7);
  }
  check("atomic", out[256], 64);
  check("reduction", out[257], 31);

  int before = 0;
  cudaMemcpy(out, &before, sizeof before, cudaMemcpyHostToDevice);
  unlisted<<<1, 1>>>((int *)out);
  check("refused", cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess, true);
  std::printf(failures ? "FAILED\n" : "RIGHT\n");
  return failures != 0;
}
