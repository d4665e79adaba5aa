// The kernels that hash a region in stream order. DeviceHash.ptx is made from this file.
// SPDX-License-Identifier: Apache-2.0
//
// No header of CUDA: any clang makes the PTX, with no toolkit. See
// tools/bench/hash/hash-throughput.cpp for their speed.
#include "audit/hash/HashRegion.h"

#define DEVICE __attribute__((device)) inline
#define KERNEL extern "C" __attribute__((global)) __attribute__((launch_bounds(256, 4)))
#define SHARED __attribute__((shared))

using namespace gpuinstr::audit::hash;

namespace {

/// Partial sums of a launch under way; all zero between launches.
struct Partial {
  uint64_t first, second;
  uint32_t blocks, unused[3];
};

constexpr uint32_t Partials = 2048; // Engine.cpp counts on it

} // namespace

extern "C" {
__attribute__((device)) Partial gpuinstr_partials[Partials];
}

namespace {

DEVICE Place here() {
  return {uint32_t(__nvvm_read_ptx_sreg_tid_x()), uint32_t(__nvvm_read_ptx_sreg_ntid_x()),
          uint32_t(__nvvm_read_ptx_sreg_ctaid_x()), uint32_t(__nvvm_read_ptx_sreg_nctaid_x())};
}

DEVICE uint64_t fromLane(uint64_t value, uint32_t distance) {
  uint32_t low = uint32_t(__nvvm_shfl_sync_down_i32(~0u, int(uint32_t(value)), distance, 31));
  uint32_t high = uint32_t(__nvvm_shfl_sync_down_i32(~0u, int(value >> 32), distance, 31));
  return uint64_t(high) << 32 | low;
}

DEVICE void reduceWarp(Sums &sums) {
  for (uint32_t distance = 16; distance; distance /= 2) {
    sums.first += fromLane(sums.first, distance);
    sums.second += fromLane(sums.second, distance);
  }
}

/// Sums of the block, in its thread 0.
DEVICE void reduceBlock(Sums &sums, Place p) {
  SHARED static uint64_t first[32], second[32];
  reduceWarp(sums);
  if (p.thread % 32 == 0) {
    first[p.thread / 32] = sums.first;
    second[p.thread / 32] = sums.second;
  }
  __syncthreads();
  if (p.thread >= 32)
    return;
  bool has = p.thread < p.threads / 32;
  sums.first = has ? first[p.thread] : 0;
  sums.second = has ? second[p.thread] : 0;
  reduceWarp(sums);
}

/// No fence: the host takes the words as there when the last one fits the others.
DEVICE void publish(const Work &w, const Sums &sums) {
  gpuinstr::audit::ContentHash h = finish(sums, w.bytes);
  auto *result = reinterpret_cast<volatile Result *>(w.result);
  result->first = h.first;
  result->second = h.second;
  result->seal = seal(h, w.stamp);
}

/// The last block to come leaves the result.
DEVICE void deliver(const Work &w, Sums sums, Place p) {
  reduceBlock(sums, p);
  if (p.thread)
    return;
  if (p.blocks == 1)
    return publish(w, sums);
  Partial &all = gpuinstr_partials[w.scratch];
  __nvvm_atom_add_gen_ll(reinterpret_cast<long long *>(&all.first), (long long)sums.first);
  __nvvm_atom_add_gen_ll(reinterpret_cast<long long *>(&all.second), (long long)sums.second);
  __nvvm_membar_gl();
  if (uint32_t(__nvvm_atom_add_gen_i((int *)&all.blocks, 1)) != p.blocks - 1)
    return;
  __nvvm_membar_gl();
  sums.first = __nvvm_atom_xchg_gen_ll((long long *)&all.first, 0);
  sums.second = __nvvm_atom_xchg_gen_ll((long long *)&all.second, 0);
  __nvvm_atom_xchg_gen_i((int *)&all.blocks, 0);
  publish(w, sums);
}

} // namespace

KERNEL void gpuinstr_hash_aligned(Work w) {
  Place p = here();
  deliver(w, hashFlat<true>(w, p), p);
}

KERNEL void gpuinstr_hash_unaligned(Work w) {
  Place p = here();
  deliver(w, hashFlat<false>(w, p), p);
}

KERNEL void gpuinstr_hash_aligned_rows(Work w) {
  Place p = here();
  deliver(w, hashAlignedRows(w, p), p);
}

KERNEL void gpuinstr_hash_rows(Work w) {
  Place p = here();
  deliver(w, hashRows(w, p), p);
}
