// The loops over threads that the plugin builds around kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled to bitcode when the plugin is built; each kernel gets a copy that calls its own code.
#include "gpuinstr/simulated_kernel.h"

typedef gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;

/* The kernel with its parameters loaded; each kernel gets a copy of the loop that calls its own. */
void __gpuinstr_sim_body(T *t, void *const *arguments, u32 count);

/* Kernels whose threads never wait. Rows along x are plain counted loops, so that LLVM can
   vectorise them: everything of the thread that they share is a local value. */
void __gpuinstr_sim_loop(T *first, void *const *arguments, u32 count) {
  const T shared = *first;
  u32 x = shared.thread[0], y = shared.thread[1], z = shared.thread[2], linear = shared.linear;
  while (count) {
    u32 row = shared.block_dim[0] - x;
    if (row > count)
      row = count;
    for (u32 i = 0; i < row; ++i) {
      T t = shared;
      t.thread[0] = x + i;
      t.thread[1] = y;
      t.thread[2] = z;
      t.linear = linear + i;
      __gpuinstr_sim_body(&t, arguments, 1);
    }
    count -= row;
    linear += row;
    x = 0;
    if (++y == shared.block_dim[1]) {
      y = 0;
      ++z;
    }
  }
}

/* One step of one thread (ContinuationSplit.h). */
void __gpuinstr_sim_step(T *t, void *const *arguments, gpuinstr_sim_frame *frame,
                         gpuinstr_sim_steps *steps);

/* One step of each thread whose turn it is. Where a fault happens must be known: the store is not
   to be moved. */
void __gpuinstr_sim_phase(T *t, void *const *arguments, u32 count) {
  gpuinstr_sim_steps *const steps = t->steps;
  const u64 bytes = steps->frame_bytes;
  const u32 width = t->block_dim[0], height = t->block_dim[1];
  u32 x = t->thread[0], y = t->thread[1], z = t->thread[2], linear = t->linear;
  char *at = steps->frames + linear * bytes;
  for (; count; --count, ++linear, at += bytes) {
    gpuinstr_sim_frame *const frame = (gpuinstr_sim_frame *)at;
    *(volatile u32 *)&t->linear = linear;
    t->thread[0] = x;
    t->thread[1] = y;
    t->thread[2] = z;
    if (frame->turn == steps->turn) {
      t->budget = steps->budget;
      __gpuinstr_sim_step(t, arguments, frame, steps);
    }
    if (++x != width)
      continue;
    x = 0;
    if (++y == height) {
      y = 0;
      ++z;
    }
  }
}
