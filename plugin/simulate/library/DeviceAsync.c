// Inline PTX on the simulated device: mbarriers, and copies that count at them.
// SPDX-License-Identifier: Apache-2.0
//
// Copies are done when they are issued, which the device may do, too: waiting for groups of them is
// nothing, and an mbarrier counts their bytes at once.
#include "gpuinstr/simulated_kernel.h"
#include <stdbool.h>
#include <string.h>

typedef gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;
#define PTX(name) __gpuinstr_ptx_##name

/* ---- The mbarrier's 64 bits: bit 63 the phase's parity, then 22 bits of bytes still to come
   (signed: a copy may end before its bytes are announced), 20 of arrivals that a phase expects, 20
   of arrivals still to come. The limits are those of PTX. */
enum { COUNT_BITS = 20, BYTES_AT = 2 * COUNT_BITS };
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define BYTES_MASK ((1ull << 22) - 1)
#define PHASE (1ull << 63)

/* Returns the state before. */
static u64 change(u64 *barrier, u32 arrivals, u32 dropped, int64_t bytes) {
  u64 before = __atomic_load_n(barrier, __ATOMIC_RELAXED), after;
  do {
    const u64 pending = ((before & COUNT_MASK) - arrivals) & COUNT_MASK;
    const u64 expected = ((before >> COUNT_BITS & COUNT_MASK) - dropped) & COUNT_MASK;
    const u64 missing = ((before >> BYTES_AT) + (u64)bytes) & BYTES_MASK;
    const bool complete = !pending && !missing;
    after = ((before & PHASE) ^ (complete ? PHASE : 0)) | missing << BYTES_AT |
            expected << COUNT_BITS | (complete ? expected : pending);
  } while (!__atomic_compare_exchange_n(barrier, &before, after, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  return before;
}

void PTX(mbarrier_init)(T *t, u64 *barrier, u32 count) {
  (void)t;
  __atomic_store_n(barrier, (u64)count << COUNT_BITS | count, __ATOMIC_RELEASE);
}
u64 PTX(mbarrier_arrive)(T *t, u64 *barrier, u32 count) {
  (void)t;
  return change(barrier, count, 0, 0);
}
u64 PTX(mbarrier_arrive_drop)(T *t, u64 *barrier, u32 count) {
  (void)t;
  return change(barrier, count, count, 0);
}
u64 PTX(mbarrier_arrive_expect_tx)(T *t, u64 *barrier, u32 bytes) {
  (void)t;
  return change(barrier, 1, 0, bytes);
}
u64 PTX(mbarrier_arrive_drop_expect_tx)(T *t, u64 *barrier, u32 bytes) {
  (void)t;
  return change(barrier, 1, 1, bytes);
}
void PTX(mbarrier_expect_tx)(T *t, u64 *barrier, u32 bytes) {
  (void)t;
  change(barrier, 0, 0, bytes);
}
void PTX(mbarrier_complete_tx)(T *t, u64 *barrier, u32 bytes) {
  (void)t;
  change(barrier, 0, 0, -(int64_t)bytes);
}
u32 PTX(mbarrier_pending_count)(T *t, u64 state) {
  (void)t;
  return state & COUNT_MASK;
}

/* Whether the phase of that parity, the current or the one before, has ended. */
bool PTX(mbarrier_wait_parity)(T *t, u64 *barrier, u32 parity) {
  (void)t;
  return (__atomic_load_n(barrier, __ATOMIC_ACQUIRE) >> 63) != (parity & 1);
}
bool PTX(mbarrier_wait)(T *t, u64 *barrier, u64 state) {
  return PTX(mbarrier_wait_parity)(t, barrier, (u32)(state >> 63));
}

/* ---- Copies. What is behind the source's bytes is filled with zeroes. */
void PTX(cp_async)(T *t, char *to, const char *from, u32 bytes, u32 given) {
  (void)t;
  if (given > bytes)
    given = bytes;
  memcpy(to, from, given);
  memset(to + given, 0, bytes - given);
}
void PTX(cp_async_bulk)(T *t, char *to, const char *from, u32 bytes) {
  (void)t;
  memcpy(to, from, bytes);
}
