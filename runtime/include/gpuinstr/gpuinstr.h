/* What a program may tell gpuinstr. Optional: nothing here is needed for a report.
   SPDX-License-Identifier: Apache-2.0

   C and C++, header only. Without the gpuinstr plugin every function has an empty body and compiles
   to nothing; with it, the plugin fills the bodies in. No library to link, no macro to set. All may
   be called from any thread, at any time, before CUDA is up and without a GPU; none fails. */
#ifndef GPUINSTR_GPUINSTR_H
#define GPUINSTR_GPUINSTR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A named range on this thread: a row of the report's PHASES, and shown by tools that read NVTX
   (domain gpuinstr). Ranges nest; each push needs one pop on the same thread. The name is copied.
 */
static inline void gpuinstr_push_range(const char *name) { (void)name; }
static inline void gpuinstr_pop_range(void) {}

/* While paused, on all threads, calls are neither timed nor counted and no finding is recorded.
   Allocations and frees stay tracked, so that leaks stay true. Pauses do not nest. */
static inline void gpuinstr_pause(void) {}
static inline void gpuinstr_resume(void) {}

/* Reports what is known so far, to where option report= and json= say. The report at exit follows
   all the same. Memory that is live now is not called a leak. */
static inline void gpuinstr_report_now(void) {}

/* Forgets all counts, times and findings, not the live allocations: call it after a warm-up. */
static inline void gpuinstr_reset(void) {}

/* Leaks of one test case: mark() before it, leaks_since() after it. Returns how many allocations,
   streams, events and other resources made since the mark are still live, on all threads, and
   stores their bytes (bytes may be NULL). 0 without the plugin. */
static inline uint64_t gpuinstr_mark(void) { return 0; }
static inline uint64_t gpuinstr_leaks_since(uint64_t mark, uint64_t *bytes) {
  (void)mark;
  if (bytes)
    *bytes = 0;
  return 0;
}

/* Names the allocation that contains this address, or the stream, event or other handle, in place
   of the variable's name. The name is copied. */
static inline void gpuinstr_name(const void *pointer, const char *name) {
  (void)pointer;
  (void)name;
}

/* The allocation that contains this address (or the handle) is meant to live to the end: it is
   never reported as a leak. */
static inline void gpuinstr_ignore(const void *pointer) { (void)pointer; }

/* For allocators that cut large CUDA allocations into pieces. `pool` is any address that tells one
   pool from another; the allocation that contains `pointer` then counts as held by the pool, not
   leaked. Pieces never given back are counted and named with the pool in the report. */
static inline void gpuinstr_pool_alloc(const void *pool, const void *pointer, uint64_t bytes) {
  (void)pool;
  (void)pointer;
  (void)bytes;
}
static inline void gpuinstr_pool_free(const void *pool, const void *pointer) {
  (void)pool;
  (void)pointer;
}

#ifdef __cplusplus
}
#endif
#endif
