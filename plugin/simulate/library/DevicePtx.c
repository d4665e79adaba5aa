// Inline PTX on the simulated device: the table of instructions that are a function of operands.
// SPDX-License-Identifier: Apache-2.0
//
// `bfe.s32 d, a, b, c` of embedded code becomes a call of __gpuinstr_ptx_bfe_s32, with the thread
// before its own operands, all of which have the instruction's last type. What is neither here nor
// in InlinePtx.cpp is refused by name. Approximations are computed exactly.
#include "gpuinstr/simulated_kernel.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

typedef gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#define ANY __attribute__((unused)) T *t

#define PTX1(name, type, expression)                                                               \
  type __gpuinstr_ptx_##name(ANY, type x) { return expression; }
#define PTX2(name, type, expression)                                                               \
  type __gpuinstr_ptx_##name(ANY, type x, type y) { return expression; }
#define PTX3(name, type, expression)                                                               \
  type __gpuinstr_ptx_##name(ANY, type x, type y, type z) { return expression; }

/* ---- Floats, to nearest. */
static inline float flush(float x) { return __builtin_fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
#define PTX1_FTZ(name, call)                                                                       \
  PTX1(name##_f32, float, call(x))                                                                 \
  PTX1(name##_ftz_f32, float, flush(call(flush(x))))
#define RCP(x) (1 / (x))
#define RSQRT(x) (1 / sqrtf(x))
PTX1_FTZ(rcp_approx, RCP)
PTX1_FTZ(sqrt_approx, sqrtf)
PTX1_FTZ(rsqrt_approx, RSQRT)
PTX1_FTZ(ex2_approx, exp2f)
PTX1_FTZ(lg2_approx, log2f)
PTX1_FTZ(sin_approx, sinf)
PTX1_FTZ(cos_approx, cosf)
PTX1_FTZ(rcp_rn, RCP)
PTX1_FTZ(sqrt_rn, sqrtf)
PTX1_FTZ(abs, fabsf)
PTX1(tanh_approx_f32, float, tanhf(x))
PTX1(rsqrt_approx_f64, double, 1 / sqrt(x))
PTX1(rsqrt_approx_ftz_f64, double, 1 / sqrt(x))
PTX1(rcp_rn_f64, double, 1 / x)
PTX1(sqrt_rn_f64, double, sqrt(x))
PTX1(abs_f64, double, fabs(x))
PTX2(div_rn_f32, float, x / y)
PTX2(div_rn_f64, double, x / y)
PTX2(div_full_f32, float, x / y)
PTX2(div_approx_f32, float, x / y)
PTX2(sub_rn_ftz_f32, float, flush(flush(x) - flush(y)))
/* The first operand gives the sign. */
PTX2(copysign_f32, float, copysignf(y, x))
PTX2(copysign_f64, double, copysign(y, x))

/* ---- Directed rounding: volatile keeps the operation between the changes of the mode. */
#define DIRECTED(name, type, op, mode)                                                             \
  __attribute__((noinline)) type __gpuinstr_ptx_##name(ANY, type x, type y) {                      \
    volatile type a = x, b = y;                                                                    \
    int before = fegetround();                                                                     \
    fesetround(mode);                                                                              \
    volatile type result = a op b;                                                                 \
    fesetround(before);                                                                            \
    return result;                                                                                 \
  }
#define DIRECTED_ALL(name, op)                                                                     \
  DIRECTED(name##_rz_f32, float, op, FE_TOWARDZERO)                                                \
  DIRECTED(name##_rm_f32, float, op, FE_DOWNWARD)                                                  \
  DIRECTED(name##_rp_f32, float, op, FE_UPWARD)                                                    \
  DIRECTED(name##_rz_f64, double, op, FE_TOWARDZERO)                                               \
  DIRECTED(name##_rm_f64, double, op, FE_DOWNWARD)                                                 \
  DIRECTED(name##_rp_f64, double, op, FE_UPWARD)
DIRECTED_ALL(add, +)
DIRECTED_ALL(sub, -)
DIRECTED_ALL(mul, *)
DIRECTED_ALL(div, /)

/* ---- Bits of a word. Results of counts are 32 bits wide: the upper half is cut. */
PTX1(popc_b32, u32, __builtin_popcount(x))
PTX1(popc_b64, u64, __builtin_popcountll(x))
PTX1(clz_b32, u32, x ? __builtin_clz(x) : 32)
PTX1(clz_b64, u64, x ? __builtin_clzll(x) : 64)
PTX1(brev_b32, u32, __builtin_bitreverse32(x))
PTX1(brev_b64, u64, __builtin_bitreverse64(x))
PTX1(cnot_b32, u32, x == 0)
PTX1(cnot_b64, u64, x == 0)
PTX1(abs_s32, u32, x >> 31 ? 0 - x : x)
PTX1(abs_s64, u64, x >> 63 ? 0 - x : x)
/* The highest bit that is not the sign's. */
static inline u32 highest(u64 x) { return x ? 63 - __builtin_clzll(x) : UINT32_MAX; }
#define BFIND(type, word, bits, magnitude)                                                         \
  PTX1(bfind_##type, word, highest(magnitude))                                                     \
  PTX1(bfind_shiftamt_##type, word, magnitude ? bits - 1 - highest(magnitude) : UINT32_MAX)
BFIND(u32, u32, 32, x)
BFIND(u64, u64, 64, x)
BFIND(s32, u32, 32, (x >> 31 ? ~x : x))
BFIND(s64, u64, 64, (x >> 63 ? ~x : x))

/* ---- Fields of bits: positions and lengths are the low 8 bits of their operands. */
static inline u64 ones(u32 n) { return n > 63 ? ~0ull : (1ull << n) - 1; }
static inline u64 extract(u64 x, u32 from, u32 bits, u32 width, bool sign) {
  const u64 field = from >= width ? 0 : x >> from & ones(bits);
  const u32 last = from + bits - 1 < width - 1 ? from + bits - 1 : width - 1;
  const bool negative = sign && bits && x >> last & 1;
  const u32 taken = from >= width ? 0 : bits < width - from ? bits : width - from;
  return negative ? field | ~ones(taken) : field;
}
#define FIELD(y) ((u32)(y)&255)
PTX3(bfe_u32, u32, (u32)extract(x, FIELD(y), FIELD(z), 32, false))
PTX3(bfe_s32, u32, (u32)extract(x, FIELD(y), FIELD(z), 32, true))
PTX3(bfe_u64, u64, extract(x, FIELD(y), FIELD(z), 64, false))
PTX3(bfe_s64, u64, extract(x, FIELD(y), FIELD(z), 64, true))
#define BFI(bits, type)                                                                            \
  type __gpuinstr_ptx_bfi_b##bits(ANY, type x, type into, type from, type count) {                 \
    const u64 mask = FIELD(from) >= bits ? 0 : ones(FIELD(count)) << FIELD(from);                  \
    return mask ? (type)(((u64)x << FIELD(from) & mask) | (into & ~mask)) : into;                  \
  }
BFI(32, u32)
BFI(64, u64)
static inline u32 maskFrom(u32 at, u32 count) {
  return at + count > 31 ? ~0u << at : ~0u << at & ~(~0u << (at + count));
}
PTX2(bmsk_wrap_b32, u32, maskFrom(x & 31, y & 31))
PTX2(bmsk_clamp_b32, u32, x > 31 ? 0 : maskFrom(x, y > 31 ? 32 : y))
#define SZEXT(name, count)                                                                         \
  PTX2(szext_##name##_u32, u32, (u32)(x & ones(count)))                                            \
  PTX2(szext_##name##_s32, u32, (u32)extract(x, 0, count, 32, true))
SZEXT(wrap, (y & 31))
SZEXT(clamp, (y > 31 ? 32 : y))
u32 __gpuinstr_ptx_fns_b32(ANY, u32 mask, u32 base, u32 offset) {
  const s32 step = (s32)offset < 0 ? -1 : 1;
  u32 left = (s32)offset < 0 ? 0 - offset : offset;
  if (!left)
    return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
  for (u32 at = base; at < 32; at += (u32)step)
    if (mask >> at & 1 && --left == 0)
      return at;
  return UINT32_MAX;
}

/* ---- Several words. The low word of a funnel shift comes first. */
#define FUNNEL(mode, n)                                                                            \
  PTX3(shf_l_##mode##_b32, u32, (u32)(((u64)y << 32 | x) << n >> 32))                              \
  PTX3(shf_r_##mode##_b32, u32, (u32)(((u64)y << 32 | x) >> n))
FUNNEL(wrap, (z & 31))
FUNNEL(clamp, (z > 31 ? 32 : z))
u32 __gpuinstr_ptx_lop3_b32(ANY, u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
#define SAD(type, word, sign) PTX3(sad_##type, word, ((sign)x < (sign)y ? y - x : x - y) + z)
SAD(u32, u32, u32)
SAD(s32, u32, s32)
SAD(u64, u64, u64)
SAD(s64, u64, s64)
#define BYTE(type, x, i) ((u32)(s32)(type)((x) >> (8 * (i))))
#define DP4A(a, b, atype, btype)                                                                   \
  PTX3(dp4a_##a##_##b, u32,                                                                        \
       z + BYTE(atype, x, 0) * BYTE(btype, y, 0) + BYTE(atype, x, 1) * BYTE(btype, y, 1) +         \
           BYTE(atype, x, 2) * BYTE(btype, y, 2) + BYTE(atype, x, 3) * BYTE(btype, y, 3))
DP4A(u32, u32, uint8_t, uint8_t)
DP4A(u32, s32, uint8_t, int8_t)
DP4A(s32, u32, int8_t, uint8_t)
DP4A(s32, s32, int8_t, int8_t)

/* ---- Bytes and halves of words, each by itself. `add` sums the results up, on top of z. */
static inline s32 part(u32 word, int bits, int i, bool sign) {
  const u32 field = word >> (bits * i) & ones(bits);
  return sign ? (s32)(field << (32 - bits)) >> (32 - bits) : (s32)field;
}
static inline u32 joined(const s32 *parts, int bits, s32 low, s32 high) {
  u32 word = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const s32 p = parts[i] < low ? low : parts[i] > high ? high : parts[i];
    word |= ((u32)p & (u32)ones(bits)) << (bits * i);
  }
  return word;
}
#define PARTS(name, bits, sign, result, expression)                                                \
  u32 __gpuinstr_ptx_##name(ANY, u32 x, u32 y, u32 z) {                                            \
    s32 parts[32 / bits];                                                                          \
    __attribute__((unused)) u32 sum = z;                                                           \
    for (int i = 0; i < 32 / bits; ++i) {                                                          \
      const s32 a = part(x, bits, i, sign), b = part(y, bits, i, sign);                            \
      sum += (u32)(parts[i] = (expression));                                                       \
    }                                                                                              \
    return result;                                                                                 \
  }
#define WIDTH(count) (32 / (count))
#define PARTS_CUT(name, count, sign, expression)                                                   \
  PARTS(name, WIDTH(count), sign, joined(parts, WIDTH(count), INT_MIN, INT_MAX), expression)
#define PARTS_SAT(name, count, sign, expression)                                                   \
  PARTS(name##_sat, WIDTH(count), sign,                                                            \
        joined(parts, WIDTH(count), sign ? -(1 << (WIDTH(count) - 1)) : 0,                         \
               (1 << (WIDTH(count) - sign)) - 1),                                                  \
        expression)
#define PARTS_ADD(name, count, sign, expression)                                                   \
  PARTS(name##_add, WIDTH(count), sign, sum, expression)
#define PARTS_TYPE(operation, count, type, sign, expression)                                       \
  PARTS_CUT(operation##count##_##type##_##type##_##type, count, sign, expression)                  \
  PARTS_SAT(operation##count##_##type##_##type##_##type, count, sign, expression)                  \
  PARTS_ADD(operation##count##_##type##_##type##_##type, count, sign, expression)
#define PARTS_ALL(operation, expression)                                                           \
  PARTS_TYPE(operation, 2, u32, 0, expression)                                                     \
  PARTS_TYPE(operation, 2, s32, 1, expression)                                                     \
  PARTS_TYPE(operation, 4, u32, 0, expression)                                                     \
  PARTS_TYPE(operation, 4, s32, 1, expression)
PARTS_ALL(vadd, a + b)
PARTS_ALL(vsub, a - b)
PARTS_ALL(vavrg, (a + b + (a + b >= 0)) >> 1)
PARTS_ALL(vabsdiff, a < b ? b - a : a - b)
PARTS_ALL(vmin, a < b ? a : b)
PARTS_ALL(vmax, a > b ? a : b)
#define COMPARE_PARTS(count, type, sign, relation, op)                                             \
  PARTS_CUT(vset##count##_##type##_##type##_##relation, count, sign, a op b)                       \
  PARTS_ADD(vset##count##_##type##_##type##_##relation, count, sign, a op b)
#define COMPARE_PARTS_ALL(relation, op)                                                            \
  COMPARE_PARTS(2, u32, 0, relation, op)                                                           \
  COMPARE_PARTS(2, s32, 1, relation, op)                                                           \
  COMPARE_PARTS(4, u32, 0, relation, op)                                                           \
  COMPARE_PARTS(4, s32, 1, relation, op)
COMPARE_PARTS_ALL(eq, ==)
COMPARE_PARTS_ALL(ne, !=)
COMPARE_PARTS_ALL(lt, <)
COMPARE_PARTS_ALL(le, <=)
COMPARE_PARTS_ALL(gt, >)
COMPARE_PARTS_ALL(ge, >=)

/* ---- prmt: `selector` holds four numbers of bytes of b and a, 8 more for the byte's sign. */
static inline u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 nibble = selector >> (4 * i) & 15;
    u32 byte = (u32)(bytes >> (8 * (nibble & 7))) & 255;
    if (nibble & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
/* The modes, by the low two bits of the selector. */
static const u32 forward4[] = {0x3210, 0x4321, 0x5432, 0x6543};
static const u32 backward4[] = {0x5670, 0x6701, 0x7012, 0x0123};
static const u32 replicate8[] = {0x0000, 0x1111, 0x2222, 0x3333};
static const u32 clampLeft[] = {0x3210, 0x3211, 0x3222, 0x3333};
static const u32 clampRight[] = {0x0000, 0x1110, 0x2210, 0x3210};
static const u32 replicate16[] = {0x1010, 0x3232, 0x1010, 0x3232};
PTX3(prmt_b32, u32, permute(x, y, z))
PTX3(prmt_b32_f4e, u32, permute(x, y, forward4[z & 3]))
PTX3(prmt_b32_b4e, u32, permute(x, y, backward4[z & 3]))
PTX3(prmt_b32_rc8, u32, permute(x, y, replicate8[z & 3]))
PTX3(prmt_b32_ecl, u32, permute(x, y, clampLeft[z & 3]))
PTX3(prmt_b32_ecr, u32, permute(x, y, clampRight[z & 3]))
PTX3(prmt_b32_rc16, u32, permute(x, y, replicate16[z & 3]))

/* ---- Special registers of 64 bits, and those that no intrinsic reads. */
#define SREG(name, value)                                                                          \
  u64 __gpuinstr_ptx_sreg_##name(ANY) { return value; }
SREG(gridid, t->grid_id)
SREG(current_graph_exec, 0)
SREG(is_explicit_cluster, t->cluster_dim[0] * t->cluster_dim[1] * t->cluster_dim[2] > 1)
SREG(clock_hi, t->ops->clock(t) >> 32)
SREG(globaltimer_hi, t->ops->global_timer(t) >> 32)
/* What the driver keeps of each block's shared memory, 1 KiB, counts here. */
SREG(aggr_smem_size, (u64)t->dynamic_bytes + t->static_bytes + 1024)
#define SREG3(axis, i)                                                                             \
  SREG(clusterid_##axis, t->block[i] / t->cluster_dim[i])                                          \
  SREG(nclusterid_##axis, t->grid_dim[i] / t->cluster_dim[i])
SREG3(x, 0)
SREG3(y, 1)
SREG3(z, 2)
