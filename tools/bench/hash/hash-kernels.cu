// What the hash kernels are measured against: the same walk, with nothing done but adding.
// SPDX-License-Identifier: Apache-2.0
//
// No header of CUDA: made to PTX as runtime/audit/DeviceHash.sh does.
#include <stdint.h>

namespace {

template <int Unroll, bool Streaming>
__attribute__((device)) inline void sum(uint64_t address, uint64_t bytes, uint64_t *out) {
  uint32_t thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  uint64_t tile = uint64_t(threads) * Unroll, words = bytes / 16, total = 0;
  uint64_t stride = __nvvm_read_ptx_sreg_nctaid_x() * tile;
  for (uint64_t base = __nvvm_read_ptx_sreg_ctaid_x() * tile; base + tile <= words;
       base += stride) {
    uint64_t low[Unroll], high[Unroll];
#pragma unroll
    for (int j = 0; j < Unroll; ++j) {
      uint64_t at = address + (base + thread + uint64_t(j) * threads) * 16;
      if (Streaming)
        asm("ld.global.cs.v2.u64 {%0, %1}, [%2];" : "=l"(low[j]), "=l"(high[j]) : "l"(at));
      else
        asm("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(low[j]), "=l"(high[j]) : "l"(at));
    }
#pragma unroll
    for (int j = 0; j < Unroll; ++j)
      total += low[j] + high[j];
  }
  if (total == 0x123456789abcdef) // keeps the loads, stores nothing
    *out = total;
}

} // namespace

#define KERNEL extern "C" __attribute__((global)) __attribute__((launch_bounds(256, 4)))

KERNEL void bench_sum4(uint64_t address, uint64_t bytes, uint64_t *out) {
  sum<4, false>(address, bytes, out);
}
KERNEL void bench_sum8(uint64_t address, uint64_t bytes, uint64_t *out) {
  sum<8, false>(address, bytes, out);
}
KERNEL void bench_sum4cs(uint64_t address, uint64_t bytes, uint64_t *out) {
  sum<4, true>(address, bytes, out);
}
/// What a launch costs, with nothing to do.
KERNEL void bench_nothing() {}
/// Runs until the host says so.
KERNEL void bench_spin(volatile uint32_t *flag) {
  while (!*flag)
    ;
}
