// Floats of 16 and 8 bits on the simulated device, to the bit: half, bfloat and both of 8 bits.
// SPDX-License-Identifier: Apache-2.0
//
// Each operation is done in double, which holds all operands and products exactly, and is rounded
// once. Where a sum has more bits than a double, the double is rounded to odd: of the two
// neighbours the one whose last bit is set. That keeps what the second rounding must know. The
// functions take and return bits: no compiler support for the types is needed.
#include "NarrowFloats.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gpuinstr_sim_thread T;
typedef uint32_t u32;
typedef uint64_t u64;
#define NARROW(name) __gpuinstr_narrow_##name
#define ANY __attribute__((unused)) T *t

static inline u64 bitsOf(double x) {
  return ((union {
           double d;
           u64 u;
         }){.d = x})
      .u;
}
static inline double ofBits(u64 x) {
  return ((union {
           u64 u;
           double d;
         }){.u = x})
      .d;
}
/* Canonical in every narrower format as well. */
static inline double notANumber(void) { return ofBits(0x7fffffffffffffff); }

static inline int mantissaBits(u32 format) {
  return format == GPUINSTR_F16    ? 10
         : format == GPUINSTR_BF16 ? 7
         : format == GPUINSTR_F32  ? 23
         : format == GPUINSTR_E4M3 ? 3
                                   : 2;
}
static inline int exponentBits(u32 format) {
  return format == GPUINSTR_BF16 || format == GPUINSTR_F32 ? 8 : format == GPUINSTR_E4M3 ? 4 : 5;
}
static inline int bias(u32 format) { return (1 << (exponentBits(format) - 1)) - 1; }
static inline int signAt(u32 format) { return mantissaBits(format) + exponentBits(format); }
static inline u32 canonicalNan(u32 format) { return (1u << signAt(format)) - 1; }
/* Infinity, or in e4m3 the first that is no number. */
static inline u32 firstBeyond(u32 format) {
  const u32 top = ((1u << exponentBits(format)) - 1) << mantissaBits(format);
  return format == GPUINSTR_E4M3 ? canonicalNan(format) : top;
}

double NARROW(value)(ANY, u32 x, u32 format) {
  const u32 magnitude = x & canonicalNan(format);
  const u64 sign = (u64)(x >> signAt(format) & 1) << 63;
  if (magnitude >= firstBeyond(format))
    return magnitude > firstBeyond(format) || format == GPUINSTR_E4M3
               ? notANumber()
               : ofBits(sign | 0x7ffull << 52);
  const int mantissa = mantissaBits(format);
  double positive;
  if (magnitude >> mantissa)
    positive = ofBits(((u64)magnitude << (52 - mantissa)) + ((u64)(1023 - bias(format)) << 52));
  else
    positive = magnitude * ofBits((u64)(1023 + 1 - bias(format) - mantissa) << 52);
  return ofBits(bitsOf(positive) | sign);
}

/* x is exact, or rounded to odd. */
u32 NARROW(round)(ANY, double x, u32 format, u32 how) {
  const int mantissa = mantissaBits(format), lowest = 1 - bias(format);
  const u64 magnitude = bitsOf(x) & ~0ull >> 1;
  const bool negative = bitsOf(x) >> 63;
  if (x != x)
    return how & GPUINSTR_SATURATE ? 0 : canonicalNan(format);
  if (negative && how & (GPUINSTR_RELU | GPUINSTR_SATURATE))
    return 0;
  if (how & GPUINSTR_SATURATE && x > 1)
    return NARROW(round)(t, 1, format, 0);
  const u32 sign = (u32)negative << signAt(format);
  const u32 beyond = firstBeyond(format), largest = beyond - 1;
  const int field = (int)(magnitude >> 52);
  if (field == 0x7ff)
    return sign | (how & GPUINSTR_FINITE ? largest : beyond);
  const int exponent = field ? field - 1023 : -1022;
  const u64 digits = (magnitude & ~0ull >> 12) | (u64)(field != 0) << 52;
  const int base = exponent < lowest ? lowest : exponent; /* subnormal below */
  int shift = base - mantissa - (exponent - 52);
  shift = shift > 62 ? 62 : shift;
  const u64 rest = digits & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  const u32 mode = how & GPUINSTR_MODES;
  u64 kept = digits >> shift;
  kept += mode == GPUINSTR_NEAREST   ? rest > half || (rest == half && kept & 1)
          : mode == GPUINSTR_TO_ZERO ? 0
                                     : rest && negative == (mode == GPUINSTR_DOWN);
  const u64 result = kept + ((u64)(base - lowest) << mantissa); /* carries into the exponent */
  if (result < beyond)
    return sign | (u32)result;
  const bool stays =
      mode == GPUINSTR_TO_ZERO || (mode != GPUINSTR_NEAREST && negative != (mode == GPUINSTR_DOWN));
  return sign | (stays || how & GPUINSTR_FINITE ? largest : beyond);
}

/* ---- Integers. */
double NARROW(from_integer)(ANY, u64 x, bool is_signed) {
  const bool negative = is_signed && x >> 63;
  u64 magnitude = negative ? 0 - x : x;
  const int more = magnitude ? 11 - __builtin_clzll(magnitude) : 0; /* bits than a double has */
  if (more > 0) {
    const u64 lost = magnitude & ((1ull << more) - 1);
    magnitude = (magnitude >> more | (lost != 0)) << more;
  }
  return negative ? -(double)magnitude : (double)magnitude;
}

double NARROW(integral)(ANY, double x, u32 mode) {
  return x != x                     ? notANumber()
         : mode == GPUINSTR_NEAREST ? rint(x)
         : mode == GPUINSTR_TO_ZERO ? trunc(x)
         : mode == GPUINSTR_DOWN    ? floor(x)
                                    : ceil(x);
}

/* Saturates. The manual: NaN becomes 0, but where one side has 64 bits the highest bit alone. */
u64 NARROW(to_integer)(ANY, double x, u32 mode, u32 bits, bool is_signed, bool wide) {
  const u64 highest = 1ull << (bits - 1);
  const double r = NARROW(integral)(t, x, mode);
  const double end = is_signed ? (double)highest : 2 * (double)highest;
  if (x != x)
    return wide ? highest : 0;
  if (r >= end)
    return is_signed ? highest - 1 : highest - 1 + highest;
  if (is_signed)
    return r < -end ? 0 - highest : (u64)(int64_t)r;
  return r < 0 ? 0 : (u64)r;
}

/* ---- Arithmetic. */
static inline double toOdd(double sum, double error) {
  const bool inexact = error > 0 || error < 0; /* of infinities it is NaN */
  if (!inexact || bitsOf(sum) & 1)
    return sum;
  return ofBits(bitsOf(sum) + ((error > 0) == (sum > 0) ? 1 : -1ull));
}
static inline double sumToOdd(double x, double y) {
  const double sum = x + y, of_y = sum - x;
  return toOdd(sum, (x - (sum - of_y)) + (y - of_y));
}
#define OF(x) NARROW(value)(t, x, format)
u32 NARROW(add)(ANY, u32 a, u32 b, u32 format, u32 how) {
  return NARROW(round)(t, sumToOdd(OF(a), OF(b)), format, how);
}
u32 NARROW(sub)(ANY, u32 a, u32 b, u32 format, u32 how) {
  return NARROW(round)(t, sumToOdd(OF(a), -OF(b)), format, how);
}
u32 NARROW(mul)(ANY, u32 a, u32 b, u32 format, u32 how) {
  return NARROW(round)(t, OF(a) * OF(b), format, how);
}
u32 NARROW(fma)(ANY, u32 a, u32 b, u32 c, u32 format, u32 how) {
  return NARROW(round)(t, sumToOdd(OF(a) * OF(b), OF(c)), format, how);
}
/* -0 is below 0. Of two numbers that are equal otherwise, the bits are. */
static inline u32 extreme(ANY, u32 a, u32 b, u32 format, u32 how, bool least) {
  const double x = OF(a), y = OF(b);
  if ((x != x && y != y) || (how & GPUINSTR_NAN && (x != x || y != y)))
    return canonicalNan(format);
  if (x != x || y != y)
    return x != x ? b : a;
  if (x == y)
    return least ? a | b : a & b;
  return (x < y) == least ? a : b;
}
u32 NARROW(min)(ANY, u32 a, u32 b, u32 format, u32 how) {
  return extreme(t, a, b, format, how, true);
}
u32 NARROW(max)(ANY, u32 a, u32 b, u32 format, u32 how) {
  return extreme(t, a, b, format, how, false);
}
static inline bool isNan(u32 a, u32 format) {
  return (a & canonicalNan(format)) > firstBeyond(format);
}
u32 NARROW(neg)(ANY, u32 a, u32 format) {
  return isNan(a, format) ? canonicalNan(format) : a ^ 1u << signAt(format);
}
u32 NARROW(abs)(ANY, u32 a, u32 format) {
  return isNan(a, format) ? canonicalNan(format) : a & canonicalNan(format);
}
u32 NARROW(tanh)(ANY, u32 a, u32 format) { return NARROW(round)(t, tanh(OF(a)), format, 0); }
u32 NARROW(ex2)(ANY, u32 a, u32 format) { return NARROW(round)(t, exp2(OF(a)), format, 0); }

/* ---- Atomic sums, of one or, each for itself, of two in one word. */
u32 NARROW(atomic_add)(ANY, uint16_t *at, u32 v, u32 format) {
  uint16_t old = __atomic_load_n(at, __ATOMIC_RELAXED), next;
  do
    next = (uint16_t)NARROW(add)(t, old, v, format, 0);
  while (!__atomic_compare_exchange_n(at, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}
u32 NARROW(atomic_add_pair)(ANY, u32 *at, u32 v, u32 format) {
  u32 old = __atomic_load_n(at, __ATOMIC_RELAXED), next;
  do
    next = NARROW(add)(t, old & 0xffff, v & 0xffff, format, 0) |
           NARROW(add)(t, old >> 16, v >> 16, format, 0) << 16;
  while (!__atomic_compare_exchange_n(at, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}
