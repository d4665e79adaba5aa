// Inline PTX of a warp: two results of one instruction, votes, match, redux, elect.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_sm90 %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

constexpr unsigned All = 0xffffffff;
constexpr int Columns = 13;

__global__ void run(unsigned *out) {
  const unsigned lane = threadIdx.x, value = lane * lane;
  unsigned r[Columns];
  // As CUB sums: the lanes that got a value add it, the others keep theirs.
  asm volatile("{ .reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %1, %2, %3, %4;"
               "  @p add.u32 r0, r0, %1; mov.u32 %0, r0; }"
               : "=r"(r[0])
               : "r"(value), "r"(4), "r"(0), "r"(All));
  asm volatile("{ .reg .pred p; .reg .u32 v; shfl.sync.down.b32 v|p, %1, 30, 0x1f, %2;"
               "  selp.u32 %0, 1, 0, p; }"
               : "=r"(r[1])
               : "r"(value), "r"(All));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, %2;" : "=r"(r[2]) : "r"(value), "r"(All));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.ballot.sync.b32 %0, p, %2; }"
               : "=r"(r[3])
               : "r"(lane), "r"(All));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, !p, %2;"
               "  @!p not.b32 %0, %0; }"
               : "=r"(r[4])
               : "r"(lane), "r"(All));
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.all.pred q, p, %2;"
               "  selp.u32 %0, 1, 0, q; }"
               : "=r"(r[5])
               : "r"(lane), "r"(All));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r[6]) : "r"(lane % 8), "r"(All));
  asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
               : "=r"(r[7]), "=r"(r[8])
               : "l"(0x100000000ull * (lane / 40)), "r"(All));
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(r[9]) : "r"(lane), "r"(All));
  asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(r[10]) : "r"(5 - int(lane)), "r"(All));
  asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(r[11]) : "r"(5 - lane), "r"(All));
  r[12] = 0;
  if (lane >= 8)
    asm volatile("{ .reg .pred p; elect.sync %0|p, %1; @p add.u32 %0, %0, 100; }"
                 : "=r"(r[12])
                 : "r"(All << 8));
  for (int i = 0; i < Columns; ++i)
    out[lane * Columns + i] = r[i];
}

int main() {
  unsigned *out;
  cudaMallocManaged(&out, 32 * Columns * sizeof *out);
  run<<<1, 32>>>(out);
  check("run", int(cudaDeviceSynchronize()), 0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned *r = out + lane * Columns, square = lane * lane;
    check("shfl.up", r[0], lane < 4 ? square : (lane - 4) * (lane - 4) + square);
    check("shfl.down", r[1], lane < 2);
    check("shfl.bfly", r[2], (lane ^ 1) * (lane ^ 1));
    check("vote.ballot", r[3], 31);
    check("vote, negated", r[4], lane < 5 ? ~31u : 31u);
    check("vote.all", r[5], 1);
    check("match.any", r[6], 0x01010101u << lane % 8);
    check("match.all", r[7], All);
    check("match.all, same", r[8], 1);
    check("redux.add", r[9], 31 * 32 / 2);
    check("redux.min", int(r[10]), 5 - 31);
    check("redux.max", r[11], 0u - 1);
    check("elect", r[12], lane < 8 ? 0 : lane == 8 ? 108 : 8);
  }
  cudaFree(out);
  return failed();
}
