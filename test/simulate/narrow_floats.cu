// All that cuda_fp16.h, cuda_bf16.h and cuda_fp8.h have, on the simulated device: nothing is refused,
// and each result is, to the bit, what the header's own host version computes, or the exact
// arithmetic below. Approximations may be one last place off. A quarter of all halfs and bfloats goes
// through each function, with -DCASES=65536 every one. sm_75 converts to bfloat and 8 bits by integer instructions, sm_90 by its own.
// SPDX-License-Identifier: Apache-2.0
// RUN: %python %S/Inputs/narrow_rows.py %cuda_root/include >%t.h
// RUN: %build_simulated -O0 -DROWS='"%t.h"' -DARCH=75 %s -o %t.75 %cudart
// RUN: %sim %t.75 2>&1 | %FileCheck %s
// RUN: %build_simulated_sm90 -O0 -DROWS='"%t.h"' -DARCH=90 %s -o %t.90 %cudart
// RUN: %sim %t.90 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <cfenv>
#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>
#include <vector>
using u64 = unsigned long long;
#define BOTH __host__ __device__ inline

#ifndef CASES
#define CASES 16384
#endif
constexpr u64 Cases = CASES;
/* ---- Arguments: the k-th of the i-th call. */
BOTH u64 mixed(u64 i, u64 k) {
  u64 x = (i * 4 + k + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}
BOTH unsigned word(u64 i, u64 k) {
  const u64 r = mixed(i, k);
  // Others are near the first, or special.
  const unsigned special[] = {0, 0x8000, 1, 0x3c00, 0x3f80, 0x7c00, 0xff80, 0x7fff};
  constexpr u64 Step = 65536 / Cases;
  i = (i * Step + mixed(i, 99) % Step) & 0xffff;
  if (k == 0)
    return i;
  return r & 1 ? (i ^ (r >> 8 & 0x8fff)) & 0xffff : r & 2 ? special[r >> 8 & 7] : r >> 8 & 0xffff;
}
BOTH u64 low(u64 r, int bits) { // beside and on the middle between two numbers that lack these bits
  const u64 half = 1ull << (bits - 1), which[] = {0, 1, half - 1, half, half + 1, 2 * half - 1};
  return r % 7 == 6 ? r >> 8 & (2 * half - 1) : which[r % 7];
}
BOTH unsigned floatBits(u64 i, u64 k) {
  const u64 r = mixed(i, k + 8);
  i = word(i, 0);
  switch (r & 3) {
  case 0: // about a half
    return (i & 0x8000) << 16 | (((i & 0x7fff) << 13) + (112u << 23)) | low(r >> 8, 13);
  case 1: // about a number of 8 bits
    return (i & 0x80) << 24 | (((i & 0x7f) << 20) + (120u << 23)) | low(r >> 8, 20);
  case 2:
    return (i & 0x80) << 24 | (((i & 0x7f) << 21) + (112u << 23)) | low(r >> 8, 21);
  default: // about a bfloat
    return i << 16 | low(r >> 8, 16);
  }
}
template <class T> BOTH T of(u64 bits) {
  T value;
  memcpy((void *)&value, &bits, sizeof value);
  return value;
}
template <class T> BOTH u64 bitsOf(T value) {
  u64 bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> BOTH T in(u64 i, u64 k) {
  if constexpr (std::is_same_v<T, float>) {
    return of<float>(floatBits(i, k));
  } else if constexpr (std::is_same_v<T, double>) {
    const double x = of<float>(floatBits(i, k));
    const u64 step = mixed(i, k + 16) % 3;
    return x != x || x == 0 ? x : of<double>(bitsOf(x) + step - 1);
  } else if constexpr (std::is_same_v<T, float2>) {
    return {in<float>(i, k), in<float>(i * 31 + 7, k)};
  } else if constexpr (std::is_same_v<T, double2>) {
    return {in<double>(i, k), in<double>(i * 31 + 7, k)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return i & 1;
  } else if constexpr (std::is_same_v<T, __nv_saturation_t>) {
    return mixed(i, k) & 1 ? __NV_SATFINITE : __NV_NOSAT;
  } else if constexpr (std::is_same_v<T, __nv_fp8_interpretation_t>) {
    return mixed(i, k) & 1 ? __NV_E4M3 : __NV_E5M2;
  } else if constexpr (std::is_same_v<T, cudaRoundMode>) {
    return mixed(i, k) & 1 ? cudaRoundZero : cudaRoundPosInf;
  } else if constexpr (std::is_integral_v<T> && sizeof(T) > 2) {
    // Any number of bits, or about the middle of two halves or bfloats.
    const u64 r = mixed(i, k);
    const u64 near = ((r >> 8 & 0x7ff) << 12 | low(r >> 20, 12)) << (r >> 24 & 31) >> 8;
    const u64 x = r & 1 ? near : (r >> 8 | 1ull << 55) << 8 >> (r >> 1 & 63);
    return T(r & 128 ? 0 - x : x);
  } else if constexpr (sizeof(T) == 4) {
    return of<T>(word(i, k) | u64(word(i * 31 + 7, k)) << 16);
  } else {
    return of<T>(word(i, k));
  }
}

/* ---- What functions without a host version compute. */
inline double wide(__half x) { return __half2float(x); }
inline double wide(__nv_bfloat16 x) { return __bfloat162float(x); }
inline __half narrow(double x, __half) { return __double2half(x); }
inline __nv_bfloat16 narrow(double x, __nv_bfloat16) { return __double2bfloat16(x); }
template <class T> T each(T x, double (*function)(double)) {
  if constexpr (sizeof(T) == 4)
    return {each(x.x, function), each(x.y, function)};
  else
    return narrow(function(wide(x)), x);
}
inline double host_sqrt(double x) { return std::sqrt(x); }
inline double host_rsqrt(double x) { return 1 / std::sqrt(x); }
inline double host_rcp(double x) { return 1 / x; }
inline double host_log(double x) { return std::log(x); }
inline double host_log2(double x) { return std::log2(x); }
inline double host_log10(double x) { return std::log10(x); }
inline double host_exp(double x) { return std::exp(x); }
inline double host_exp2(double x) { return std::exp2(x); }
inline double host_exp10(double x) { return std::pow(10.0, x); }
inline double host_cos(double x) { return std::cos(x); }
inline double host_sin(double x) { return std::sin(x); }
inline double host_tanh(double x) { return std::tanh(x); }
/* The sum, or beside an inexact one the double whose last bit is set: a second rounding is right. */
inline double odd(double x, double y) {
  volatile double a = x, b = y;
  std::fesetround(FE_DOWNWARD);
  volatile double below = a + b;
  std::fesetround(FE_UPWARD);
  volatile double above = a + b;
  std::fesetround(FE_TONEAREST);
  if (below == above || below != below)
    return a + b;
  return bitsOf<double>(below) & 1 ? below : above;
}
inline double host_sum(double p, double c, char how) {
  const double sum = odd(p, c);
  if (how == 's')
    return sum > 0 ? std::fmin(sum, 1) : 0;
  return how == 'r' && sum <= 0 ? 0 : sum;
}
template <class T> T host_fma(T a, T b, T c, char how) {
  if constexpr (sizeof(T) == 4)
    return {host_fma(a.x, b.x, c.x, how), host_fma(a.y, b.y, c.y, how)};
  else
    return narrow(host_sum(wide(a) * wide(b), wide(c), how), a);
}
template <class T> T host_cmadd(T a, T b, T c, char) {
  auto real = host_fma(a.x, b.x, c.x, '_'), imaginary = host_fma(a.x, b.y, c.y, '_');
  return {host_fma(__hneg(a.y), b.y, real, '_'), host_fma(a.y, b.x, imaginary, '_')};
}
template <class T> T toInteger(double x, char mode) {
  constexpr T Lowest = T(std::is_signed_v<T> ? 1ull << (8 * sizeof(T) - 1) : 0);
  constexpr T Highest = T(~Lowest);
  if (x != x)
    return sizeof(T) == 8 ? T(1ull << 63) : T(0);
  x = mode == 'n' ? std::rint(x) : mode == 'd' ? std::floor(x) : std::ceil(x);
  return x <= double(Lowest) ? Lowest : x >= double(Highest) ? Highest : T(x);
}
/* As odd() does, of 24 bits. */
template <class T> float oddFloat(T x) {
  const bool negative = x < 0;
  u64 magnitude = negative ? 0 - u64(x) : u64(x);
  int dropped = 0;
  for (; magnitude >> 24; ++dropped)
    magnitude = magnitude >> 1 | (magnitude & 1);
  return std::ldexp(negative ? -float(magnitude) : float(magnitude), dropped);
}
template <class T> BOTH T increased(T x) { return ++x; }

/* ---- The rows. */
#define ROW(n, name, type, got, wanted, near)                                                      \
  __device__ __noinline__ void device##n(u64 i, u64 *out) {                                        \
    out[n % 16 * Cases + i] = bitsOf<type>(got);                                                      \
  }                                                                                                \
  u64 host##n(u64 i) { return bitsOf<type>(wanted); }                                              \
  const Row row##n = {name, host##n, sizeof(type), near};
#if ARCH >= 80
#define ROW80 ROW
#else
#define ROW80(n, name, ...) ROW(n, name, u64, 0, 0, 0)
#endif
#define RUN(n) device##n(i, out);
#define KERNEL(k, calls)                                                                           \
  __global__ void kernel##k(u64 *out) {                                                            \
    const u64 i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
    calls                                                                                          \
  }
#define LAUNCH(k)                                                                                  \
  kernel##k<<<Cases / 256, 256>>>(out);                                                            \
  check("launch", int(cudaDeviceSynchronize()), 0);                                                \
  compare(out, rows, 16 * k, 16 * k + 16 < ROW_COUNT ? 16 * k + 16 : ROW_COUNT);
#define REFERENCE(n) &row##n,

struct Row {
  const char *name;
  u64 (*wanted)(u64);
  size_t bytes;
  int near; ///< last places that are allowed in each half of 16 bits
};
#include ROWS

static bool isNear(u64 got, u64 wanted, size_t bytes, int near) {
  for (size_t at = 0; at < 8 * bytes; at += 16) {
    const int a = got >> at & 0xffff, b = wanted >> at & 0xffff;
    if (std::abs(a - b) > near && (a | b | 0x8000) != 0x8000)
      return false;
  }
  return true;
}

static void compare(const u64 *out, const Row *const *rows, u64 first, u64 end) {
  for (u64 n = first; n < end; ++n) {
    const Row &row = *rows[n];
    u64 wrong = 0;
    for (u64 i = 0; i < Cases; ++i) {
      const u64 got = out[n % 16 * Cases + i], wanted = row.wanted(i);
      if (got == wanted || (row.near && isNear(got, wanted, row.bytes, row.near)))
        continue;
      if (wrong++ == 0)
        std::printf("%s, row %llu, case %llu: %llx instead of %llx\n", row.name, n, i, got, wanted);
    }
    if (wrong)
      std::printf("%s: %llu wrong\n", row.name, wrong);
    failures += wrong != 0;
  }
}

/* ---- Through memory, and between the threads of a warp: what is read is what was written. */
#define LOADS(X) X(__ldg) X(__ldcg) X(__ldca) X(__ldcs) X(__ldlu) X(__ldcv)
#define STORES(X) X(__stwb) X(__stcg) X(__stcs) X(__stwt)
template <class T> __global__ void moves(T *from, T *to, T *sums) {
  const int i = threadIdx.x;
  unsigned all = ~0u;
#define LOAD(name) *to++ = name(from + i), to += 31;
#define STORE(name) name(to, from[i]), to += 32;
  to += i;
  LOADS(LOAD) STORES(STORE)
  *to = __shfl_sync(all, from[i], i ^ 5), to += 32;
  *to = __shfl_xor_sync(all, from[i], 5), to += 32;
  *to = __shfl_up_sync(all, from[i], 3), to += 32;
  *to = __shfl_down_sync(all, from[i], 3);
  to[32] = atomicAdd(sums + i, from[i]);
  atomicAdd(sums + i, from[i]);
  atomicAdd(sums + 32, from[i]);
}
template <class T> void testMoves(const char *name, T one) {
  constexpr int Rows = 15;
  T *from, *to, *sums;
  cudaMallocManaged(&from, 32 * sizeof(T));
  cudaMallocManaged(&to, 32 * Rows * sizeof(T));
  cudaMallocManaged(&sums, 33 * sizeof(T));
  T sum = one - one;
  for (int i = 0; i < 32; ++i) {
    from[i] = one, sum += one; // small whole numbers
    for (int k = 0; k < i % 4; ++k)
      from[i] += one, sum += one;
    sums[i] = one;
  }
  sums[32] = one - one;
  moves<<<1, 32>>>(from, to, sums);
  check(name, int(cudaDeviceSynchronize()), 0);
  for (int i = 0; i < 32; ++i) {
    const int shuffled[] = {i ^ 5, i ^ 5, i < 3 ? i : i - 3, i > 28 ? i : i + 3};
    for (int row = 0; row < 14; ++row)
      check(name, bitsOf(to[32 * row + i]), bitsOf(from[row < 10 ? i : shuffled[row - 10]]));
    check(name, bitsOf(to[32 * 14 + i]), bitsOf(one));
    check(name, bitsOf(sums[i]), bitsOf(one + from[i] + from[i]));
  }
  check(name, bitsOf(sums[32]), bitsOf(sum));
  cudaFree(from), cudaFree(to), cudaFree(sums);
}

int main() {
  testMoves("half in memory", __half(1.0f));
  testMoves("half2 in memory", __half2(1.0f, 1.0f));
  testMoves("bfloat in memory", __nv_bfloat16(1.0f));
  testMoves("bfloat2 in memory", __nv_bfloat162(1.0f, 1.0f));
  u64 *out;
  cudaMallocManaged(&out, 16 * Cases * sizeof *out);
  const Row *rows[] = {REFERENCES};
  LAUNCHES
  cudaFree(out);
  return failed();
}
