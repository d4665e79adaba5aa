// Inline PTX of one thread: results at the edges are those of the PTX manual.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated -Wno-deprecated-declarations %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

using u64 = unsigned long long;
constexpr unsigned None = 0xffffffff;
constexpr u64 Top = 1ull << 63, All = ~0ull;

// (instruction, type of result and operands as in asm, operands, result)
#define ROWS                                                                                       \
  TWO("bmsk.clamp.b32", "r", 1u, 2u, 0x6u)                                                         \
  TWO("bmsk.clamp.b32", "r", 0u, 32u, None)                                                        \
  TWO("bmsk.clamp.b32", "r", 4u, 0u, 0u)                                                           \
  TWO("bmsk.clamp.b32", "r", 32u, 4u, 0u)                                                          \
  TWO("bmsk.clamp.b32", "r", 0x104u, 4u, 0u)                                                       \
  TWO("bmsk.clamp.b32", "r", 28u, 8u, 0xf0000000u)                                                 \
  TWO("bmsk.clamp.b32", "r", 28u, 40u, 0xf0000000u)                                                \
  TWO("bmsk.wrap.b32", "r", 1u, 2u, 0x6u)                                                          \
  TWO("bmsk.wrap.b32", "r", 33u, 34u, 0x6u)                                                        \
  TWO("bmsk.wrap.b32", "r", 0u, 32u, 0u)                                                           \
  TWO("bmsk.wrap.b32", "r", 31u, 31u, 0x80000000u)                                                 \
  THREE("bfe.u32", "r", 0xdeadbeefu, 4u, 8u, 0xeeu)                                                \
  THREE("bfe.u32", "r", 0xdeadbeefu, 4u, 0u, 0u)                                                   \
  THREE("bfe.u32", "r", 0xdeadbeefu, 32u, 8u, 0u)                                                  \
  THREE("bfe.u32", "r", 0xdeadbeefu, 0u, 32u, 0xdeadbeefu)                                         \
  THREE("bfe.u32", "r", 0xdeadbeefu, 24u, 255u, 0xdeu)                                             \
  THREE("bfe.u32", "r", 0xdeadbeefu, 256u, 264u, 0xefu)                                            \
  THREE("bfe.s32", "r", 0xdeadbeefu, 4u, 8u, 0xffffffeeu)                                          \
  THREE("bfe.s32", "r", 0x7fu, 0u, 7u, None)                                                       \
  THREE("bfe.s32", "r", 0x7fu, 0u, 8u, 0x7fu)                                                      \
  THREE("bfe.s32", "r", None, 3u, 0u, 0u)                                                          \
  THREE("bfe.s32", "r", 0x80000000u, 40u, 3u, None)                                                \
  THREE("bfe.s32", "r", 0x7fffffffu, 40u, 3u, 0u)                                                  \
  THREE("bfe.s32", "r", 0xc0000000u, 30u, 20u, None)                                               \
  WIDE3("bfe.u64", Top | 5, 60u, 9u, 8ull)                                                         \
  WIDE3("bfe.u64", All, 0u, 64u, All)                                                              \
  WIDE3("bfe.u64", All, 64u, 1u, 0ull)                                                             \
  WIDE3("bfe.s64", Top, 60u, 4u, 0xfffffffffffffff8ull)                                            \
  WIDE3("bfe.s64", Top, 100u, 4u, All)                                                             \
  WIDE3("bfe.s64", Top, 0u, 0u, 0ull)                                                              \
  ONE("bfind.u32", "r", 0u, None)                                                                  \
  ONE("bfind.u32", "r", 0x80000000u, 31u)                                                          \
  ONE("bfind.s32", "r", 0u, None)                                                                  \
  ONE("bfind.s32", "r", None, None)                                                                \
  ONE("bfind.s32", "r", 0xfffffffeu, 0u)                                                           \
  ONE("bfind.s32", "r", 0x40000000u, 30u)                                                          \
  ONE("bfind.shiftamt.u32", "r", 0u, None)                                                         \
  ONE("bfind.shiftamt.u32", "r", 1u, 31u)                                                          \
  ONE("bfind.shiftamt.s32", "r", 0x80000000u, 1u)                                                  \
  ONE("bfind.u64", "l", Top, 63u)                                                                  \
  ONE("bfind.u64", "l", 0ull, None)                                                                \
  ONE("bfind.s64", "l", All, None)                                                                 \
  ONE("bfind.shiftamt.s64", "l", 1ull, 63u)                                                        \
  ONE("bfind.shiftamt.u64", "l", 0ull, None)                                                       \
  ONE("clz.b32", "r", 0u, 32u)                                                                     \
  ONE("clz.b64", "l", 0ull, 64u)                                                                   \
  ONE("clz.b64", "l", 1ull, 63u)                                                                   \
  ONE("popc.b64", "l", All, 64u)                                                                   \
  ONE("brev.b32", "r", 1u, 0x80000000u)                                                            \
  ONE("cnot.b32", "r", 0u, 1u)                                                                     \
  ONE("cnot.b32", "r", 7u, 0u)                                                                     \
  ONE("abs.s32", "r", 0xfffffffdu, 3u)                                                             \
  ONE("cvt.rni.u8.f32.sat", "f", 300.5f, 255u)                                                     \
  ONE("cvt.rni.u8.f32.sat", "f", -3.0f, 0u)                                                        \
  ONE("cvt.rni.u8.f32.sat", "f", 2.5f, 2u)                                                         \
  ONE("cvt.rni.sat.u8.f32", "f", 3.5f, 4u)                                                         \
  ONE("cvt.rzi.s32.f32", "f", -2.75f, 0xfffffffeu)                                                 \
  ONE("cvt.sat.u8.s32", "r", 0xfffffff0u, 0u)                                                      \
  ONE("cvt.sat.u8.s32", "r", 1000u, 255u)                                                          \
  ONE("cvt.sat.u8.u32", "r", 0xfffffff0u, 255u)                                                    \
  ONE("cvt.u8.s32.sat", "r", 17u, 17u)                                                             \
  ONE("cvt.sat.s8.s32", "r", 0xffffff00u, 0xffffff80u)                                             \
  ONE("cvt.sat.s8.u32", "r", 0xffffff00u, 127u)                                                    \
  ONE("cvt.sat.s16.s32", "r", 0x12345u, 0x7fffu)                                                   \
  ONE("cvt.sat.u32.s32", "r", 0x80000000u, 0u)                                                     \
  ONE("cvt.sat.s32.u32", "r", 0x80000000u, 0x7fffffffu)                                            \
  ONE("cvt.sat.u32.u64", "l", Top, None)                                                           \
  ONE("cvt.sat.s32.s64", "l", Top, 0x80000000u)                                                    \
  ONE("cvt.s8.s32", "r", 0x1ffu, None)                                                             \
  ONE("cvt.u8.s32", "r", 0x1ffu, 0xffu)                                                            \
  ONE("cvt.s16.s32", "r", 0x18000u, 0xffff8000u)                                                   \
  TWO("szext.clamp.s32", "r", 0x8u, 4u, 0xfffffff8u)                                               \
  TWO("szext.clamp.u32", "r", 0xf8u, 4u, 8u)                                                       \
  TWO("szext.clamp.s32", "r", 0x80000001u, 32u, 0x80000001u)                                       \
  TWO("szext.clamp.u32", "r", None, 0u, 0u)                                                        \
  TWO("szext.wrap.u32", "r", None, 32u, 0u)                                                        \
  TWO("szext.wrap.s32", "r", 0x2u, 34u, 0xfffffffeu)                                               \
  THREE("fns.b32", "r", 0xaaaaaaaau, 3u, 1u, 3u)                                                   \
  THREE("fns.b32", "r", 0xaaaaaaaau, 2u, 1u, 3u)                                                   \
  THREE("fns.b32", "r", 0xaaaaaaaau, 2u, None, 1u)                                                 \
  THREE("fns.b32", "r", 0xaaaaaaaau, 2u, 0u, None)                                                 \
  THREE("fns.b32", "r", 0xaaaaaaaau, 31u, 2u, None)                                                \
  THREE("shf.l.wrap.b32", "r", 0x89abcdefu, 0x01234567u, 4u, 0x12345678u)                          \
  THREE("shf.l.wrap.b32", "r", 0x89abcdefu, 0x01234567u, 32u, 0x01234567u)                         \
  THREE("shf.l.clamp.b32", "r", 0x89abcdefu, 0x01234567u, 33u, 0x89abcdefu)                        \
  THREE("shf.l.clamp.b32", "r", 0x89abcdefu, 0x01234567u, 0u, 0x01234567u)                         \
  THREE("shf.r.wrap.b32", "r", 0x89abcdefu, 0x01234567u, 36u, 0x789abcdeu)                         \
  THREE("shf.r.clamp.b32", "r", 0x89abcdefu, 0x01234567u, 99u, 0x01234567u)                        \
  THREE("sad.u32", "r", 1u, 4u, 10u, 13u)                                                          \
  THREE("sad.s32", "r", None, 4u, 10u, 15u)                                                        \
  THREE("dp4a.s32.s32", "r", 0xff020304u, 0x02010101u, 100u, 107u)                                 \
  THREE("dp4a.u32.u32", "r", 0xff020304u, 0x02010101u, 100u, 619u)                                 \
  THREE("dp4a.u32.s32", "r", 0xff000000u, 0xff000000u, 0u, 0xffffff01u)                            \
  THREE("prmt.b32", "r", 0x83828180u, 0x87868584u, 0x0f61u, 0x80ff8681u)                           \
  THREE("prmt.b32.f4e", "r", 0x33221100u, 0x77665544u, 5u, 0x44332211u)                            \
  THREE("prmt.b32.b4e", "r", 0x33221100u, 0x77665544u, 1u, 0x66770011u)                            \
  THREE("prmt.b32.rc8", "r", 0x33221100u, 0x77665544u, 2u, 0x22222222u)                            \
  THREE("prmt.b32.ecl", "r", 0x33221100u, 0x77665544u, 1u, 0x33221111u)                            \
  THREE("prmt.b32.ecr", "r", 0x33221100u, 0x77665544u, 2u, 0x22221100u)                            \
  THREE("prmt.b32.rc16", "r", 0x33221100u, 0x77665544u, 3u, 0x33223322u)                           \
  SHIFT("shl.b32", "r", 1u, 31u, 0x80000000u)                                                      \
  SHIFT("shl.b32", "r", 1u, 32u, 0u)                                                               \
  SHIFT("shl.b32", "r", 1u, 0x101u, 0u)                                                            \
  SHIFT("shr.u32", "r", None, 32u, 0u)                                                             \
  SHIFT("shr.b32", "r", None, 31u, 1u)                                                             \
  SHIFT("shr.s32", "r", 0x80000000u, 40u, None)                                                    \
  SHIFT("shr.s64", "l", Top, 64u, All)                                                             \
  SHIFT("shl.b64", "l", 1ull, 64u, 0ull)                                                           \
  SHIFT("shr.b64", "l", Top, 63u, 1ull)                                                            \
  BFI("bfi.b32", "r", 0xfu, 0u, 4u, 4u, 0xf0u)                                                     \
  BFI("bfi.b32", "r", None, 0x12345678u, 4u, 0u, 0x12345678u)                                      \
  BFI("bfi.b32", "r", None, 0x12345678u, 32u, 4u, 0x12345678u)                                     \
  BFI("bfi.b32", "r", None, 0u, 28u, 99u, 0xf0000000u)                                             \
  BFI("bfi.b64", "l", 0xffull, 0ull, 60u, 64u, 0xf000000000000000ull)                              \
  BFI("bfi.b64", "l", All, 5ull, 64u, 64u, 5ull)

// The operands are not constants of the compile: `zero` is a parameter.
__global__ void run(u64 *out, unsigned zero) {
#define ONE(text, c, a, wanted)                                                                    \
  {                                                                                                \
    decltype(wanted + 0u) d;                                                                       \
    asm(text " %0, %1;" : "=r"(d) : c(a + zero));                                                  \
    *out++ = d;                                                                                    \
  }
#define TWO(text, c, a, b, wanted)                                                                 \
  {                                                                                                \
    unsigned d;                                                                                    \
    asm(text " %0, %1, %2;" : "=r"(d) : c(a + zero), c(b + zero));                                 \
    *out++ = d;                                                                                    \
  }
#define THREE(text, c, a, b, e, wanted)                                                            \
  {                                                                                                \
    unsigned d;                                                                                    \
    asm(text " %0, %1, %2, %3;" : "=r"(d) : c(a + zero), c(b + zero), c(e + zero));                \
    *out++ = d;                                                                                    \
  }
#define WIDE3(text, a, b, e, wanted)                                                               \
  {                                                                                                \
    u64 d;                                                                                         \
    asm(text " %0, %1, %2, %3;" : "=l"(d) : "l"(a + zero), "r"(b + zero), "r"(e + zero));          \
    *out++ = d;                                                                                    \
  }
#define SHIFT(text, c, a, b, wanted)                                                               \
  {                                                                                                \
    decltype(wanted + 0u) d;                                                                       \
    asm(text " %0, %1, %2;" : "=" c(d) : c(a + zero), "r"(b + zero));                              \
    *out++ = d;                                                                                    \
  }
#define BFI(text, c, a, into, b, e, wanted)                                                        \
  {                                                                                                \
    decltype(wanted + 0u) d;                                                                       \
    asm(text " %0, %1, %2, %3, %4;"                                                                \
        : "=" c(d)                                                                                 \
        : c(a + zero), c(into + zero), "r"(b + zero), "r"(e + zero));                              \
    *out++ = d;                                                                                    \
  }
  ROWS
#undef ONE
#undef TWO
#undef THREE
#undef WIDE3
#undef SHIFT
#undef BFI
}

struct Row {
  const char *text;
  u64 wanted;
} rows[] = {
#define ONE(text, c, a, wanted) {text " " #a, wanted},
#define TWO(text, c, a, b, wanted) {text " " #a " " #b, wanted},
#define THREE(text, c, a, b, e, wanted) {text " " #a " " #b " " #e, wanted},
#define WIDE3(text, a, b, e, wanted) {text " " #a " " #b " " #e, wanted},
#define SHIFT(text, c, a, b, wanted) {text " " #a " " #b, wanted},
#define BFI(text, c, a, into, b, e, wanted) {text " " #a " " #into " " #b " " #e, wanted},
    ROWS};

int main() {
  constexpr int count = sizeof rows / sizeof *rows;
  u64 *out, got[count];
  cudaMalloc(&out, sizeof got);
  run<<<1, 1>>>(out, 0);
  check("run", int(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)), 0);
  for (int i = 0; i < count; ++i)
    check(rows[i].text, got[i], rows[i].wanted);
  cudaFree(out);
  return failed();
}
