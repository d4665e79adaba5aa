// Inline PTX on memory: vectors, 128 bits, hints, spaces, fences, special registers.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_sm90 %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

using u64 = unsigned long long;
__constant__ int constant = 4;

__device__ void vectors(const unsigned *in, u64 *out) {
  unsigned a, b, c, d;
  u64 low, high, policy;
  asm volatile("ld.relaxed.gpu.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(in));
  asm volatile("st.release.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out), "r"(d), "r"(c),
               "r"(b), "r"(a)
               : "memory");
  asm volatile("ld.acquire.sys.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(in));
  asm volatile("st.cg.v2.u64 [%0], {%1, %2};" ::"l"(out + 2), "l"(high), "l"(low) : "memory");
  unsigned short e, f, g, h;
  asm volatile("ld.volatile.global.v4.u16 {%0, %1, %2, %3}, [%4+8];"
               : "=h"(e), "=h"(f), "=h"(g), "=h"(h)
               : "l"(in));
  asm volatile("st.relaxed.gpu.v4.u16 [%0], {%1, %2, %3, %4};" ::"l"(out + 4), "h"(h), "h"(g),
               "h"(f), "h"(e)
               : "memory");
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("{ .reg .b128 whole;"
               "  ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.b128 whole, [%2], %3;"
               "  mov.b128 {%0, %1}, whole; }"
               : "=l"(low), "=l"(high)
               : "l"(in), "l"(policy));
  asm volatile("{ .reg .b128 whole; mov.b128 whole, {%1, %2};"
               "  st.global.L1::no_allocate.b128 [%0], whole; }" ::"l"(out + 6),
               "l"(high), "l"(low)
               : "memory");
  float x, y;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(in + 4));
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out + 8), "f"(y), "f"(x) : "memory");
  unsigned byte;
  asm volatile("{ .reg .s8 datum; ld.cv.s8 datum, [%1]; cvt.s32.s8 %0, datum; }"
               : "=r"(byte)
               : "l"(in));
  out[9] = byte;
}

#define SPACE(name, pointer)                                                                       \
  asm("{ .reg .pred p; isspacep." name " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(pointer));
__device__ unsigned spaces(const unsigned *global) {
  __shared__ int shared;
  volatile int local = 0;
  unsigned is, all = 0;
  const void *pointers[] = {global, &shared, (const void *)&local, &constant};
  for (int i = 0; i < 4; ++i) {
    SPACE("global", pointers[i]);
    all |= is << (4 * i);
    SPACE("shared::cta", pointers[i]);
    all |= is << (4 * i + 1);
    SPACE("local", pointers[i]);
    all |= is << (4 * i + 2);
    SPACE("const", pointers[i]);
    all |= is << (4 * i + 3);
  }
  return all;
}

__global__ void run(const unsigned *in, u64 *out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0];" ::"l"(in) : "memory");
  vectors(in, out);
  out[10] = spaces(in);
  asm volatile("fence.acq_rel.gpu; fence.acquire.cluster; fence.proxy.async; fence.proxy.alias;" ::
                   : "memory");
  unsigned r;
#define REGISTER(name, to)                                                                         \
  asm volatile("mov.u32 %0, %%" name ";" : "=r"(r));                                               \
  to = r
  REGISTER("clusterid.x", out[11]);
  REGISTER("nclusterid.y", out[12]);
  REGISTER("aggr_smem_size", out[13]);
  REGISTER("total_smem_size", out[14]);
  REGISTER("lanemask_ge", out[15]);
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.b32 %0, 1, 0, p; }"
               : "=r"(r));
  out[16] = r;
  asm volatile("mov.u64 %0, %%current_graph_exec;" : "=l"(out[17]));
  asm volatile("griddepcontrol.launch_dependents;");
}

int main() {
  unsigned *in;
  u64 *out;
  cudaMallocManaged(&in, 32);
  cudaMallocManaged(&out, 18 * sizeof *out);
  for (unsigned i = 0; i < 8; ++i)
    in[i] = 0x10001 * i + 0x80;
  run<<<dim3(2, 3), 1>>>(in, out);
  check("run", int(cudaDeviceSynchronize()), 0);
  const unsigned *half = (const unsigned *)out;
  for (int i = 0; i < 4; ++i) {
    check("v4.u32", half[i], in[3 - i]);
    check("v2.u64", half[4 + i], in[(i + 2) % 4]);
    check("b128", half[12 + i], in[(i + 2) % 4]);
  }
  check("v4.u16", half[8], in[3] << 16 | in[3] >> 16);
  check("v4.u16", half[9], in[2] << 16 | in[2] >> 16);
  check("v2.f32", half[16], in[5]);
  check("v2.f32", half[17], in[4]);
  check("s8", out[9], 0xffffff80u);
  check("spaces", out[10], 0x8421);
  check("clusterid", out[11] < 2, true);
  check("nclusterid", out[12], 3);
  check("smem", out[13] > out[14], true);
  check("lanemask_ge", out[15], 0xffffffffu);
  check("cluster", out[16], 0);
  check("graph", out[17], 0);
  cudaFree(in);
  cudaFree(out);
  return failed();
}
