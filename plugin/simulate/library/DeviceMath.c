// NVVM's arithmetic intrinsics on the simulated device.
// SPDX-License-Identifier: Apache-2.0
//
// Approximations of the device are computed exactly here: their documented error allows that.
// Directed rounding sets the host's rounding mode around the operation.
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;
#define NVVM(name) __gpuinstr_nvvm_##name
#define ANY __attribute__((unused)) T *t

static inline float flush(float x) { return __builtin_fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static inline float sat(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static inline double satd(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

/* ---- One operand. */
#define UNARY(name, type, expression)                                                              \
  type NVVM(name)(ANY, type x) { return expression; }
#define UNARY_F(name, call)                                                                        \
  UNARY(name##_f, float, call(x))                                                                  \
  UNARY(name##_ftz_f, float, flush(call(flush(x))))
#define UNARY_FD(name, callf, calld)                                                               \
  UNARY_F(name, callf)                                                                             \
  UNARY(name##_d, double, calld(x))
#define RSQRTF(x) (1.0f / sqrtf(x))
#define RSQRT(x) (1.0 / sqrt(x))
#define RCP(x) (1 / (x))
UNARY_FD(ceil, ceilf, ceil)
UNARY_FD(floor, floorf, floor)
UNARY_FD(trunc, truncf, trunc)
UNARY_FD(round, rintf, rint) /* to nearest, ties to even */
UNARY_FD(fabs, fabsf, fabs)
UNARY_FD(saturate, sat, satd)
UNARY_F(sqrt_approx, sqrtf)
UNARY(sqrt_f, float, sqrtf(x))
UNARY_FD(sqrt_rn, sqrtf, sqrt)
UNARY_FD(rcp_rn, RCP, RCP)
UNARY(rcp_approx_ftz_f, float, flush(1 / flush(x)))
UNARY(rcp_approx_ftz_d, double, 1 / x)
UNARY_F(rsqrt_approx, RSQRTF)
UNARY(rsqrt_approx_d, double, RSQRT(x))
UNARY(rsqrt_approx_ftz_d, double, RSQRT(x))
UNARY_F(sin_approx, sinf)
UNARY_F(cos_approx, cosf)
UNARY_F(lg2_approx, log2f)
UNARY(lg2_approx_d, double, log2(x))
UNARY_F(ex2_approx, exp2f)
UNARY(ex2_approx_d, double, exp2(x))
UNARY(ex2_approx_f32, float, exp2f(x))
UNARY(ex2_approx_ftz_f32, float, flush(exp2f(flush(x))))
UNARY(fabs_f32, float, fabsf(x))
UNARY(fabs_ftz_f32, float, fabsf(flush(x)))
UNARY(fabs_f64, double, fabs(x))

/* ---- Two and three operands, to nearest. */
#define BINARY(name, type, expression)                                                             \
  type NVVM(name)(ANY, type x, type y) { return expression; }
#define BINARY_FTZ(name, expression)                                                               \
  float NVVM(name)(ANY, float x, float y) {                                                        \
    x = flush(x);                                                                                  \
    y = flush(y);                                                                                  \
    return flush(expression);                                                                      \
  }
#define ARITHMETIC(name, op)                                                                       \
  BINARY(name##_rn_f, float, x op y)                                                               \
  BINARY_FTZ(name##_rn_ftz_f, x op y)                                                              \
  BINARY(name##_rn_d, double, x op y)
ARITHMETIC(add, +)
ARITHMETIC(mul, *)
ARITHMETIC(div, /)
BINARY(div_approx_f, float, x / y)
BINARY_FTZ(div_approx_ftz_f, x / y)
BINARY(div_full, float, x / y)
BINARY_FTZ(div_full_ftz, x / y)
BINARY(add_rn_sat_f, float, sat(x + y))
BINARY(fmin_f, float, fminf(x, y))
BINARY(fmax_f, float, fmaxf(x, y))
BINARY(fmin_d, double, fmin(x, y))
BINARY(fmax_d, double, fmax(x, y))
BINARY_FTZ(fmin_ftz_f, fminf(x, y))
BINARY_FTZ(fmax_ftz_f, fmaxf(x, y))
BINARY(fmin_nan_f, float, x != x || y != y ? NAN : fminf(x, y))
BINARY(fmax_nan_f, float, x != x || y != y ? NAN : fmaxf(x, y))
#define TERNARY(name, type, expression)                                                            \
  type NVVM(name)(ANY, type x, type y, type z) { return expression; }
TERNARY(fma_rn_f, float, fmaf(x, y, z))
TERNARY(fma_rn_ftz_f, float, flush(fmaf(flush(x), flush(y), flush(z))))
TERNARY(fma_rn_sat_f, float, sat(fmaf(x, y, z)))
TERNARY(fma_rn_ftz_sat_f, float, sat(fmaf(flush(x), flush(y), flush(z))))
TERNARY(fma_rn_d, double, fma(x, y, z))

/* ---- Directed rounding: volatile keeps the operation between the changes of the mode. */
#define DIRECTED(type, mode, expression)                                                           \
  int before = fegetround();                                                                       \
  fesetround(mode);                                                                                \
  volatile type result = (expression);                                                             \
  fesetround(before);                                                                              \
  return result;
#define DIRECTED2(name, type, mode, op)                                                            \
  __attribute__((noinline)) type NVVM(name)(ANY, type x, type y) {                                 \
    volatile type a = x, b = y;                                                                    \
    DIRECTED(type, mode, a op b)                                                                   \
  }
#define DIRECTED_ROWS(suffix, mode)                                                                \
  DIRECTED2(add_##suffix##_f, float, mode, +)                                                      \
  DIRECTED2(add_##suffix##_d, double, mode, +)                                                     \
  DIRECTED2(mul_##suffix##_f, float, mode, *)                                                      \
  DIRECTED2(mul_##suffix##_d, double, mode, *)                                                     \
  DIRECTED2(div_##suffix##_f, float, mode, /)                                                      \
  DIRECTED2(div_##suffix##_d, double, mode, /)                                                     \
  __attribute__((noinline)) float NVVM(rcp_##suffix##_f)(ANY, float x) {                           \
    volatile float a = x;                                                                          \
    DIRECTED(float, mode, 1 / a)                                                                   \
  }                                                                                                \
  __attribute__((noinline)) double NVVM(rcp_##suffix##_d)(ANY, double x) {                         \
    volatile double a = x;                                                                         \
    DIRECTED(double, mode, 1 / a)                                                                  \
  }                                                                                                \
  __attribute__((noinline)) float NVVM(sqrt_##suffix##_f)(ANY, float x) {                          \
    volatile float a = x;                                                                          \
    DIRECTED(float, mode, sqrtf(a))                                                                \
  }                                                                                                \
  __attribute__((noinline)) double NVVM(sqrt_##suffix##_d)(ANY, double x) {                        \
    volatile double a = x;                                                                         \
    DIRECTED(double, mode, sqrt(a))                                                                \
  }                                                                                                \
  __attribute__((noinline)) float NVVM(fma_##suffix##_f)(ANY, float x, float y, float z) {         \
    volatile float a = x, b = y, c = z;                                                            \
    DIRECTED(float, mode, fmaf(a, b, c))                                                           \
  }                                                                                                \
  __attribute__((noinline)) double NVVM(fma_##suffix##_d)(ANY, double x, double y, double z) {     \
    volatile double a = x, b = y, c = z;                                                           \
    DIRECTED(double, mode, fma(a, b, c))                                                           \
  }
DIRECTED_ROWS(rz, FE_TOWARDZERO)
DIRECTED_ROWS(rm, FE_DOWNWARD)
DIRECTED_ROWS(rp, FE_UPWARD)

/* ---- Conversions: to integers they saturate. NaN becomes 0, but where either side has 64 bits the
   highest bit alone, as PTX has it. */
#define OF_NAN(from, to)                                                                           \
  (to)(sizeof(from) == 8 || sizeof(to) == 8 ? 1ull << (8 * sizeof(to) - 1) : 0)
#define TO_INT(name, from, to, low, high, rounded)                                                 \
  to NVVM(name)(ANY, from x) {                                                                     \
    from r = rounded;                                                                              \
    return r != r ? OF_NAN(from, to) : r < (from)low ? low : r >= (from)high ? high : (to)r;       \
  }
#define TO_INTS(suffix, roundf_, round_)                                                           \
  TO_INT(f2i_##suffix, float, int32_t, INT32_MIN, INT32_MAX, roundf_(x))                           \
  TO_INT(f2i_##suffix##_ftz, float, int32_t, INT32_MIN, INT32_MAX, roundf_(flush(x)))              \
  TO_INT(f2ui_##suffix, float, u32, 0, UINT32_MAX, roundf_(x))                                     \
  TO_INT(f2ui_##suffix##_ftz, float, u32, 0, UINT32_MAX, roundf_(flush(x)))                        \
  TO_INT(f2ll_##suffix, float, int64_t, INT64_MIN, INT64_MAX, roundf_(x))                          \
  TO_INT(f2ll_##suffix##_ftz, float, int64_t, INT64_MIN, INT64_MAX, roundf_(flush(x)))             \
  TO_INT(f2ull_##suffix, float, u64, 0, UINT64_MAX, roundf_(x))                                    \
  TO_INT(f2ull_##suffix##_ftz, float, u64, 0, UINT64_MAX, roundf_(flush(x)))                       \
  TO_INT(d2i_##suffix, double, int32_t, INT32_MIN, INT32_MAX, round_(x))                           \
  TO_INT(d2ui_##suffix, double, u32, 0, UINT32_MAX, round_(x))                                     \
  TO_INT(d2ll_##suffix, double, int64_t, INT64_MIN, INT64_MAX, round_(x))                          \
  TO_INT(d2ull_##suffix, double, u64, 0, UINT64_MAX, round_(x))
TO_INTS(rn, rintf, rint)
TO_INTS(rz, truncf, trunc)
TO_INTS(rm, floorf, floor)
TO_INTS(rp, ceilf, ceil)
#define FROM(name, from, to, mode)                                                                 \
  __attribute__((noinline)) to NVVM(name)(ANY, from x) {                                           \
    volatile from a = x;                                                                           \
    DIRECTED(to, mode, (to)a)                                                                      \
  }
#define FROM_NEAREST(name, from, to)                                                               \
  to NVVM(name)(ANY, from x) { return (to)x; }
#define FROM_ALL(name, from, to)                                                                   \
  FROM_NEAREST(name##_rn, from, to)                                                                \
  FROM(name##_rz, from, to, FE_TOWARDZERO)                                                         \
  FROM(name##_rm, from, to, FE_DOWNWARD)                                                           \
  FROM(name##_rp, from, to, FE_UPWARD)
FROM_ALL(i2f, int32_t, float)
FROM_ALL(ui2f, u32, float)
FROM_ALL(ll2f, int64_t, float)
FROM_ALL(ull2f, u64, float)
FROM_ALL(i2d, int32_t, double)
FROM_ALL(ui2d, u32, double)
FROM_ALL(ll2d, int64_t, double)
FROM_ALL(ull2d, u64, double)
FROM_ALL(d2f, double, float)
float NVVM(d2f_rn_ftz)(ANY, double x) { return flush((float)x); }

/* ---- Bits. */
typedef union {
  double d;
  u64 u;
} Bits64;
u32 NVVM(d2i_hi)(ANY, double x) { return (u32)(((Bits64){.d = x}).u >> 32); }
u32 NVVM(d2i_lo)(ANY, double x) { return (u32)((Bits64){.d = x}).u; }
double NVVM(lohi_i2d)(ANY, u32 lo, u32 hi) { return ((Bits64){.u = (u64)hi << 32 | lo}).d; }
int32_t NVVM(mulhi_i)(ANY, int32_t x, int32_t y) { return (int32_t)((int64_t)x * y >> 32); }
u32 NVVM(mulhi_ui)(ANY, u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
int64_t NVVM(mulhi_ll)(ANY, int64_t x, int64_t y) { return (int64_t)((__int128)x * y >> 64); }
u64 NVVM(mulhi_ull)(ANY, u64 x, u64 y) { return (u64)((unsigned __int128)x * y >> 64); }
int32_t NVVM(mul24_i)(ANY, int32_t x, int32_t y) {
  return (int32_t)((int64_t)(x << 8 >> 8) * (y << 8 >> 8));
}
u32 NVVM(mul24_ui)(ANY, u32 x, u32 y) { return (x & 0xffffff) * (y & 0xffffff); }
u32 NVVM(sad_i)(ANY, int32_t x, int32_t y, u32 z) {
  return (x < y ? (u32)y - (u32)x : (u32)x - (u32)y) + z;
}
u32 NVVM(sad_ui)(ANY, u32 x, u32 y, u32 z) { return (x < y ? y - x : x - y) + z; }
u32 NVVM(prmt)(ANY, u32 a, u32 b, u32 selector) {
  u64 bytes = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 nibble = selector >> (4 * i) & 15;
    u32 byte = (u32)(bytes >> (8 * (nibble & 7))) & 255;
    if (nibble & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
u32 NVVM(fshl_clamp_i32)(ANY, u32 hi, u32 lo, u32 n) {
  return n >= 32 ? lo : n ? hi << n | lo >> (32 - n) : hi;
}
u32 NVVM(fshr_clamp_i32)(ANY, u32 hi, u32 lo, u32 n) {
  return n >= 32 ? hi : n ? hi << (32 - n) | lo >> n : lo;
}
int32_t NVVM(idp4a_s_s)(ANY, u32 a, u32 b, int32_t c) {
  for (int i = 0; i < 32; i += 8)
    c += (int8_t)(a >> i) * (int8_t)(b >> i);
  return c;
}
u32 NVVM(idp4a_u_u)(ANY, u32 a, u32 b, u32 c) {
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 255) * (b >> i & 255);
  return c;
}
