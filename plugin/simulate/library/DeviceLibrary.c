// NVVM's intrinsics and the device's C library, implemented for the simulated device.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled to bitcode when the plugin is built. llvm.nvvm.a.b.c of embedded code becomes a call of
// __gpuinstr_nvvm_a_b_c, with the thread before its own arguments; what has no function here is
// refused by name. A result of several values is written through pointers behind the arguments.
#include "gpuinstr/simulated_kernel.h"
#include <fenv.h>
#include <limits.h>
#include <stdbool.h>

typedef gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;

#define NVVM(name) __gpuinstr_nvvm_##name

/* ---- Special registers. */
#define SREG(name, type, value)                                                                    \
  type NVVM(read_ptx_sreg_##name)(const T *t) { return value; }
#define SREG3(name, field)                                                                         \
  SREG(name##_x, u32, t->field[0])                                                                 \
  SREG(name##_y, u32, t->field[1])                                                                 \
  SREG(name##_z, u32, t->field[2])
SREG3(tid, thread)
SREG3(ntid, block_dim)
SREG3(ctaid, block)
SREG3(nctaid, grid_dim)
SREG3(cluster_ctaid, cluster)
SREG3(cluster_nctaid, cluster_dim)
SREG(warpsize, u32, 32)
SREG(laneid, u32, t->linear & 31)
SREG(warpid, u32, t->linear >> 5)
SREG(nwarpid, u32, 64)
SREG(smid, u32, t->multiprocessor)
SREG(nsmid, u32, t->multiprocessors)
SREG(gridid, u32, (u32)t->grid_id)
SREG(dynamic_smem_size, u32, t->dynamic_bytes)
SREG(total_smem_size, u32, t->dynamic_bytes + t->static_bytes)
SREG(lanemask_eq, u32, 1u << (t->linear & 31))
SREG(lanemask_lt, u32, (1u << (t->linear & 31)) - 1)
SREG(lanemask_le, u32, (2u << (t->linear & 31)) - 1)
SREG(lanemask_gt, u32, ~((2u << (t->linear & 31)) - 1))
SREG(lanemask_ge, u32, ~((1u << (t->linear & 31)) - 1))
SREG(envreg1, u32, (u32)((u64)t->grid_workspace >> 32))
SREG(envreg2, u32, (u32)(u64)t->grid_workspace)
SREG(clock, u32, (u32)t->ops->clock((T *)t))
SREG(clock64, u64, t->ops->clock((T *)t))
SREG(globaltimer, u64, t->ops->global_timer((T *)t))
SREG(globaltimer_lo, u32, (u32)t->ops->global_timer((T *)t))
SREG(cluster_ctarank, u32,
     (t->cluster[2] * t->cluster_dim[1] + t->cluster[1]) * t->cluster_dim[0] + t->cluster[0])
SREG(cluster_nctarank, u32, t->cluster_dim[0] * t->cluster_dim[1] * t->cluster_dim[2])

/* ---- Barriers. */
void NVVM(barrier0)(T *t) { t->ops->barrier(t, 0, 0); }
void NVVM(barrier_cta_sync_aligned_all)(T *t, u32 id) { t->ops->barrier(t, id, 0); }
void NVVM(barrier_cta_sync_all)(T *t, u32 id) { t->ops->barrier(t, id, 0); }
void NVVM(barrier_cta_sync_aligned_count)(T *t, u32 id, u32 n) { t->ops->barrier(t, id, n); }
void NVVM(barrier_cta_sync_count)(T *t, u32 id, u32 n) { t->ops->barrier(t, id, n); }
void NVVM(barrier_sync)(T *t, u32 id) { t->ops->barrier(t, id, 0); }
void NVVM(barrier_sync_cnt)(T *t, u32 id, u32 n) { t->ops->barrier(t, id, n); }
void NVVM(barrier_n)(T *t, u32 id) { t->ops->barrier(t, id, 0); }
void NVVM(barrier)(T *t, u32 id, u32 n) { t->ops->barrier(t, id, n); }
void NVVM(bar_sync)(T *t, u32 id) { t->ops->barrier(t, id, 0); }
void NVVM(barrier_cta_arrive_aligned_count)(T *t, u32 id, u32 n) {
  t->ops->barrier_arrive(t, id, n);
}
void NVVM(barrier_cta_arrive_count)(T *t, u32 id, u32 n) { t->ops->barrier_arrive(t, id, n); }
#define BARRIER_RED(kind, KIND, type)                                                              \
  type NVVM(barrier_cta_red_##kind##_aligned_all)(T * t, u32 id, bool p) {                         \
    return t->ops->barrier_vote(t, id, 0, KIND, p);                                                \
  }                                                                                                \
  type NVVM(barrier_cta_red_##kind##_all)(T * t, u32 id, bool p) {                                 \
    return t->ops->barrier_vote(t, id, 0, KIND, p);                                                \
  }                                                                                                \
  type NVVM(barrier_cta_red_##kind##_aligned_count)(T * t, u32 id, u32 n, bool p) {                \
    return t->ops->barrier_vote(t, id, n, KIND, p);                                                \
  }                                                                                                \
  type NVVM(barrier_cta_red_##kind##_count)(T * t, u32 id, u32 n, bool p) {                        \
    return t->ops->barrier_vote(t, id, n, KIND, p);                                                \
  }                                                                                                \
  u32 NVVM(barrier0_##kind)(T * t, u32 p) { return t->ops->barrier_vote(t, 0, 0, KIND, p != 0); }
BARRIER_RED(popc, GPUINSTR_SIM_POPC, u32)
BARRIER_RED(and, GPUINSTR_SIM_ALL, bool)
BARRIER_RED(or, GPUINSTR_SIM_ANY, bool)
void NVVM(bar_warp_sync)(T *t, u32 mask) { t->ops->warp_sync(t, mask); }

/* ---- Warp operations. */
typedef union {
  float f;
  u32 u;
  int32_t i;
} Bits32;
#define SHUFFLE(name, KIND)                                                                        \
  u32 NVVM(shfl_sync_##name##_i32)(T * t, u32 mask, u32 v, u32 b, u32 c) {                         \
    return t->ops->shuffle(t, KIND, mask, v, b, c, 0);                                             \
  }                                                                                                \
  float NVVM(shfl_sync_##name##_f32)(T * t, u32 mask, float v, u32 b, u32 c) {                     \
    Bits32 x = {.f = v};                                                                           \
    x.u = t->ops->shuffle(t, KIND, mask, x.u, b, c, 0);                                            \
    return x.f;                                                                                    \
  }                                                                                                \
  void NVVM(shfl_sync_##name##_i32p)(T * t, u32 mask, u32 v, u32 b, u32 c, u32 * to, bool *in) {   \
    u32 in_range;                                                                                  \
    *to = t->ops->shuffle(t, KIND, mask, v, b, c, &in_range);                                      \
    *in = in_range;                                                                                \
  }
SHUFFLE(up, GPUINSTR_SIM_UP)
SHUFFLE(down, GPUINSTR_SIM_DOWN)
SHUFFLE(bfly, GPUINSTR_SIM_BFLY)
SHUFFLE(idx, GPUINSTR_SIM_IDX)
bool NVVM(vote_all_sync)(T *t, u32 mask, bool p) {
  return t->ops->vote(t, GPUINSTR_SIM_ALL, mask, p);
}
bool NVVM(vote_any_sync)(T *t, u32 mask, bool p) {
  return t->ops->vote(t, GPUINSTR_SIM_ANY, mask, p);
}
bool NVVM(vote_uni_sync)(T *t, u32 mask, bool p) {
  return t->ops->vote(t, GPUINSTR_SIM_UNI, mask, p);
}
u32 NVVM(vote_ballot_sync)(T *t, u32 mask, bool p) {
  return t->ops->vote(t, GPUINSTR_SIM_BALLOT, mask, p);
}
u32 NVVM(activemask)(T *t, u32 site) { return t->ops->active_mask(t, site); }
u32 NVVM(match_any_sync_i32)(T *t, u32 mask, u32 v) { return t->ops->match_any(t, mask, v); }
u32 NVVM(match_any_sync_i64)(T *t, u32 mask, u64 v) { return t->ops->match_any(t, mask, v); }
void NVVM(match_all_sync_i32p)(T *t, u32 mask, u32 v, u32 *to, bool *all) {
  u32 same;
  *to = t->ops->match_all(t, mask, v, &same);
  *all = same;
}
void NVVM(match_all_sync_i64p)(T *t, u32 mask, u64 v, u32 *to, bool *all) {
  u32 same;
  *to = t->ops->match_all(t, mask, v, &same);
  *all = same;
}
#define REDUX(name, KIND)                                                                          \
  u32 NVVM(redux_sync_##name)(T * t, u32 v, u32 mask) { return t->ops->reduce(t, KIND, mask, v); }
REDUX(add, GPUINSTR_SIM_ADD)
REDUX(min, GPUINSTR_SIM_MIN)
REDUX(max, GPUINSTR_SIM_MAX)
REDUX(umin, GPUINSTR_SIM_UMIN)
REDUX(umax, GPUINSTR_SIM_UMAX)
REDUX(and, GPUINSTR_SIM_AND)
REDUX(or, GPUINSTR_SIM_OR)
REDUX(xor, GPUINSTR_SIM_XOR)

/* ---- Fences: one memory, one model. */
#define FENCE(name)                                                                                \
  void NVVM(name)(T * t) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
FENCE(membar_cta)
FENCE(membar_gl)
FENCE(membar_sys)
FENCE(fence_sc_cluster)

/* ---- The thread's end, time, memory. */
void NVVM(nanosleep)(T *t, u32 ns) { t->ops->sleep(t, ns); }
_Noreturn void NVVM(exit)(T *t) {
  t->ops->exit(t);
  __builtin_unreachable();
}
_Noreturn void NVVM(trap)(T *t) {
  t->ops->trap(t);
  __builtin_unreachable();
}
_Noreturn void __gpuinstr_sim_unsupported(T *t, const char *what) {
  t->ops->unsupported(t, what);
  __builtin_unreachable();
}
int32_t __gpuinstr_device_vprintf(T *t, const char *format, const void *arguments) {
  return t->ops->print(t, format, arguments);
}
_Noreturn void __gpuinstr_device___assertfail(T *t, const char *message, const char *file, u32 line,
                                              const char *function, u64 width) {
  (void)width;
  t->ops->assert_fail(t, message, file, line, function);
  __builtin_unreachable();
}
void *__gpuinstr_device_malloc(T *t, u64 bytes) { return t->ops->heap_alloc(t, bytes); }
void __gpuinstr_device_free(T *t, void *block) { t->ops->heap_free(t, block); }
#define SPACE(name, space)                                                                         \
  bool NVVM(isspacep_##name)(T * t, const void *p) { return t->ops->is_in_space(t, p, space); }
SPACE(global, 0)
SPACE(shared, 1)
SPACE(shared_cluster, 1)
SPACE(const, 2)
SPACE(local, 3)
void __gpuinstr_sim_wait(T *t) {
  if (--t->budget == 0)
    t->ops->yield(t);
}

/* ---- Atomics that LLVM's own instructions do not say; scopes make no difference here. */
#define ATOMIC_SCOPED(op, scope, type, letter, bits, call)                                         \
  type NVVM(atomic_##op##_gen_##letter##_##scope##_##bits##_p0)(T * t, type * p, type v) {         \
    (void)t;                                                                                       \
    return call(p, v, __ATOMIC_SEQ_CST);                                                           \
  }
#define ATOMIC_BOTH(op, type, bits, call)                                                          \
  ATOMIC_SCOPED(op, cta, type, i, bits, call)                                                      \
  ATOMIC_SCOPED(op, sys, type, i, bits, call)
#define ATOMIC_INT(op, call)                                                                       \
  ATOMIC_BOTH(op, int32_t, i32, call)                                                              \
  ATOMIC_BOTH(op, int64_t, i64, call)
ATOMIC_INT(add, __atomic_fetch_add)
ATOMIC_INT(and, __atomic_fetch_and)
ATOMIC_INT(or, __atomic_fetch_or)
ATOMIC_INT(xor, __atomic_fetch_xor)
ATOMIC_INT(exch, __atomic_exchange_n)
#define FETCH_MIN(p, v, o) __atomic_fetch_min(p, v, o)
#define FETCH_MAX(p, v, o) __atomic_fetch_max(p, v, o)
ATOMIC_INT(min, FETCH_MIN)
ATOMIC_INT(max, FETCH_MAX)
#define ATOMIC_CAS(scope, type, bits)                                                              \
  type NVVM(atomic_cas_gen_i_##scope##_##bits##_p0)(T * t, type * p, type expected, type v) {      \
    (void)t;                                                                                       \
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    return expected;                                                                               \
  }
ATOMIC_CAS(cta, u32, i32)
ATOMIC_CAS(sys, u32, i32)
ATOMIC_CAS(cta, u64, i64)
ATOMIC_CAS(sys, u64, i64)
#define ATOMIC_LOOP(name, type, expression)                                                        \
  type NVVM(name)(T * t, type * p, type v) {                                                       \
    type old = __atomic_load_n(p, __ATOMIC_RELAXED), next;                                         \
    (void)t;                                                                                       \
    do                                                                                             \
      next = (expression);                                                                         \
    while (!__atomic_compare_exchange_n(p, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));    \
    return old;                                                                                    \
  }
#define INC_OF (old >= v ? 0 : old + 1)
#define DEC_OF (old == 0 || old > v ? v : old - 1)
ATOMIC_LOOP(atomic_inc_gen_i_cta_i32_p0, u32, INC_OF)
ATOMIC_LOOP(atomic_inc_gen_i_sys_i32_p0, u32, INC_OF)
ATOMIC_LOOP(atomic_dec_gen_i_cta_i32_p0, u32, DEC_OF)
ATOMIC_LOOP(atomic_dec_gen_i_sys_i32_p0, u32, DEC_OF)
ATOMIC_LOOP(atomic_load_inc_32_p0, u32, INC_OF)
ATOMIC_LOOP(atomic_load_dec_32_p0, u32, DEC_OF)
#define ATOMIC_FLOAT(scope, type, bits, whole)                                                     \
  type NVVM(atomic_add_gen_f_##scope##_##bits##_p0)(T * t, type * p, type v) {                     \
    type old, next;                                                                                \
    (void)t;                                                                                       \
    __atomic_load(p, &old, __ATOMIC_RELAXED);                                                      \
    do                                                                                             \
      next = old + v;                                                                              \
    while (!__atomic_compare_exchange(p, &old, &next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));     \
    return old;                                                                                    \
  }
ATOMIC_FLOAT(cta, float, f32, u32)
ATOMIC_FLOAT(sys, float, f32, u32)
ATOMIC_FLOAT(cta, double, f64, u64)
ATOMIC_FLOAT(sys, double, f64, u64)

/* ---- Start-up. A static program has no dlsym, and no simulator. */
extern void *dlsym(void *restrict, const char *restrict) __attribute__((weak));
static void __gpuinstr_sim_tell(const char *symbol, gpuinstr_sim_module *module) {
  if (!dlsym)
    return;
  gpuinstr_simulator_register_fn *tell = (gpuinstr_simulator_register_fn *)dlsym((void *)0, symbol);
  if (tell)
    tell(module);
}
void __gpuinstr_sim_register(gpuinstr_sim_module *module) {
  __gpuinstr_sim_tell(GPUINSTR_SIM_REGISTER, module);
}
void __gpuinstr_sim_unregister(gpuinstr_sim_module *module) {
  __gpuinstr_sim_tell(GPUINSTR_SIM_UNREGISTER, module);
}
