// Inline PTX of floats: directed rounding, signs, what the PTX manual says of 0, infinity, NaN.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

constexpr unsigned Inf = 0x7f800000, MinusInf = 0xff800000, One = 0x3f800000, Minus = 0x80000000;
constexpr unsigned Tiny = 1;           // subnormal
constexpr unsigned Small = 0x30800000; // 2^-30

// (instruction, operands and result as bits)
#define ROWS                                                                                       \
  TWO("add.rz.f32", One, Small, 0x3f800000u)                                                       \
  TWO("add.rm.f32", One, Small, 0x3f800000u)                                                       \
  TWO("add.rp.f32", One, Small, 0x3f800001u)                                                       \
  TWO("sub.rz.f32", One, Small, 0x3f7fffffu)                                                       \
  TWO("sub.rm.f32", One, Small, 0x3f7fffffu)                                                       \
  TWO("sub.rp.f32", One, Small, 0x3f800000u)                                                       \
  TWO("mul.rz.f32", 0xbf800001u, 0x3f800001u, 0xbf800002u)                                         \
  TWO("mul.rm.f32", 0xbf800001u, 0x3f800001u, 0xbf800003u)                                         \
  TWO("mul.rp.f32", 0x3f800001u, 0x3f800001u, 0x3f800003u)                                         \
  TWO("div.rn.f32", One, 0x40400000u, 0x3eaaaaabu)                                                 \
  TWO("div.rz.f32", One, 0x40400000u, 0x3eaaaaaau)                                                 \
  TWO("div.rp.f32", One, 0x40400000u, 0x3eaaaaabu)                                                 \
  TWO("div.rm.f32", One, 0xc0400000u, 0xbeaaaaabu)                                                 \
  TWO("copysign.f32", Minus, Inf, MinusInf)                                                        \
  TWO("copysign.f32", One, 0xbf800000u, One)                                                       \
  ONE("abs.f32", MinusInf, Inf)                                                                    \
  ONE("abs.f32", Minus, 0u)                                                                        \
  ONE("abs.ftz.f32", Tiny, 0u)                                                                     \
  ONE("sqrt.rn.f32", 0x40000000u, 0x3fb504f3u)                                                     \
  ONE("sqrt.rn.f32", Minus, Minus)                                                                 \
  ONE("sqrt.approx.ftz.f32", Tiny, 0u)                                                             \
  ONE("rcp.rn.f32", 0x40400000u, 0x3eaaaaabu)                                                      \
  ONE("rcp.approx.f32", Minus, MinusInf)                                                           \
  ONE("rcp.approx.ftz.f32", Tiny, Inf)                                                             \
  ONE("rcp.approx.f32", Inf, 0u)                                                                   \
  ONE("rsqrt.approx.f32", 0u, Inf)                                                                 \
  ONE("rsqrt.approx.f32", Inf, 0u)                                                                 \
  ONE("rsqrt.approx.ftz.f32", Tiny, Inf)                                                           \
  ONE("lg2.approx.f32", 0u, MinusInf)                                                              \
  ONE("lg2.approx.f32", Inf, Inf)                                                                  \
  ONE("ex2.approx.f32", MinusInf, 0u)                                                              \
  ONE("ex2.approx.ftz.f32", Minus, One)                                                            \
  ONE("sin.approx.f32", Minus, Minus)                                                              \
  ONE("cos.approx.f32", 0u, One)                                                                   \
  ONE("tanh.approx.f32", MinusInf, 0xbf800000u)

#define ONE(text, a, wanted)                                                                       \
  {                                                                                                \
    float d;                                                                                       \
    asm(text " %0, %1;" : "=f"(d) : "f"(__uint_as_float(a + zero)));                               \
    *out++ = __float_as_uint(d);                                                                   \
  }
#define TWO(text, a, b, wanted)                                                                    \
  {                                                                                                \
    float d;                                                                                       \
    asm(text " %0, %1, %2;"                                                                        \
        : "=f"(d)                                                                                  \
        : "f"(__uint_as_float(a + zero)), "f"(__uint_as_float(b + zero)));                         \
    *out++ = __float_as_uint(d);                                                                   \
  }
__global__ void run(unsigned *out, double *wide, unsigned zero) {
  ROWS asm("div.rp.f64 %0, %1, %2;" : "=d"(wide[0]) : "d"(1.0 + zero), "d"(3.0));
  asm("sqrt.rn.f64 %0, %1;" : "=d"(wide[1]) : "d"(4.0 + zero));
  asm("copysign.f64 %0, %1, %2;" : "=d"(wide[2]) : "d"(-1.0 - zero), "d"(7.0));
  asm("sqrt.approx.f32 %0, %1;" : "=f"(*(float *)&wide[3]) : "f"(-1.0f - zero));
}
#undef ONE
#undef TWO

struct Row {
  const char *text;
  unsigned wanted;
} rows[] = {
#define ONE(text, a, wanted) {text " " #a, wanted},
#define TWO(text, a, b, wanted) {text " " #a " " #b, wanted},
    ROWS};

int main() {
  constexpr int count = sizeof rows / sizeof *rows;
  unsigned *out;
  double *wide;
  cudaMallocManaged(&out, sizeof(unsigned) * count);
  cudaMallocManaged(&wide, sizeof(double) * 4);
  run<<<1, 1>>>(out, wide, 0);
  check("run", int(cudaDeviceSynchronize()), 0);
  for (int i = 0; i < count; ++i)
    check(rows[i].text, out[i], rows[i].wanted);
  check("div.rp.f64", wide[0] > 1.0 / 3 && wide[0] < 0.34, true);
  check("sqrt.rn.f64", wide[1], 2.0);
  check("copysign.f64", wide[2], -7.0);
  const float root = *(const float *)&wide[3];
  check("sqrt of -1", root != root, true);
  cudaFree(out);
  cudaFree(wide);
  return failed();
}
