// Intrinsics on the bytes and halves of words, each against plain C++ on its parts.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"

// (name, result of the signed or unsigned parts a and b, what becomes of it)
#define COMPARE(S)                                                                                 \
  S(vcmpeq, u, a == b ? -1 : 0, cut)                                                               \
  S(vcmpne, u, a != b ? -1 : 0, cut)                                                               \
  S(vcmpges, s, a >= b ? -1 : 0, cut)                                                              \
  S(vcmpgeu, u, a >= b ? -1 : 0, cut)                                                              \
  S(vcmpgts, s, a > b ? -1 : 0, cut)                                                               \
  S(vcmpgtu, u, a > b ? -1 : 0, cut)                                                               \
  S(vcmples, s, a <= b ? -1 : 0, cut)                                                              \
  S(vcmpleu, u, a <= b ? -1 : 0, cut)                                                              \
  S(vcmplts, s, a < b ? -1 : 0, cut)                                                               \
  S(vcmpltu, u, a < b ? -1 : 0, cut)                                                               \
  S(vseteq, u, a == b, cut)                                                                        \
  S(vsetne, u, a != b, cut)                                                                        \
  S(vsetges, s, a >= b, cut)                                                                       \
  S(vsetgeu, u, a >= b, cut)                                                                       \
  S(vsetgts, s, a > b, cut)                                                                        \
  S(vsetgtu, u, a > b, cut)                                                                        \
  S(vsetles, s, a <= b, cut)                                                                       \
  S(vsetleu, u, a <= b, cut)                                                                       \
  S(vsetlts, s, a < b, cut)                                                                        \
  S(vsetltu, u, a < b, cut)
#define COMPUTE(S)                                                                                 \
  S(vabsdiffs, s, a < b ? b - a : a - b, cut)                                                      \
  S(vabsdiffu, u, a < b ? b - a : a - b, cut)                                                      \
  S(vadd, u, a + b, cut)                                                                           \
  S(vaddss, s, a + b, limited)                                                                     \
  S(vaddus, u, a + b, limited)                                                                     \
  S(vavgs, s, (a + b + (a + b >= 0)) >> 1, cut)                                                    \
  S(vavgu, u, (a + b + 1) / 2, cut)                                                                \
  S(vhaddu, u, (a + b) / 2, cut)                                                                   \
  S(vmaxs, s, a > b ? a : b, cut)                                                                  \
  S(vmaxu, u, a > b ? a : b, cut)                                                                  \
  S(vmins, s, a < b ? a : b, cut)                                                                  \
  S(vminu, u, a < b ? a : b, cut)                                                                  \
  S(vsads, s, a < b ? b - a : a - b, summed)                                                       \
  S(vsadu, u, a < b ? b - a : a - b, summed)                                                       \
  S(vsub, u, a - b, cut)                                                                           \
  S(vsubss, s, a - b, limited)                                                                     \
  S(vsubus, u, a - b, limited)
#define ALONE(S)                                                                                   \
  S(vabs, s, a < 0 ? -a : a, cut)                                                                  \
  S(vabsss, s, a < 0 ? -a : a, limited)                                                            \
  S(vneg, s, -a, cut)                                                                              \
  S(vnegss, s, -a, limited)

enum class As { cut, limited, summed };
template <class F> unsigned parts(int bits, bool sign, As as, unsigned x, unsigned y, F f) {
  const long long size = 1ll << bits, low = sign ? -size / 2 : 0, high = low + size - 1;
  unsigned word = 0, sum = 0;
  for (int at = 0; at < 32; at += bits) {
    long long a = x >> at & (size - 1), b = y >> at & (size - 1);
    a -= sign && a > high ? size : 0;
    b -= sign && b > high ? size : 0;
    long long r = f(a, b);
    sum += static_cast<unsigned>(r);
    if (as == As::limited)
      r = r < low ? low : r > high ? high : r;
    word |= static_cast<unsigned>(r & (size - 1)) << at;
  }
  return as == As::summed ? sum : word;
}

constexpr int Pairs = 4096;
__global__ void run(const unsigned *x, const unsigned *y, unsigned *out) {
  const unsigned a = x[threadIdx.x + blockIdx.x * blockDim.x];
  const unsigned b = y[threadIdx.x + blockIdx.x * blockDim.x];
  out += threadIdx.x + blockIdx.x * blockDim.x;
#define TWO(name, sign, result, as)                                                                \
  *out = __##name##2(a, b), out += Pairs;                                                          \
  *out = __##name##4(a, b), out += Pairs;
#define ONE(name, sign, result, as)                                                                \
  *out = __##name##2(a), out += Pairs;                                                             \
  *out = __##name##4(a), out += Pairs;
  COMPARE(TWO)
  COMPUTE(TWO)
  ALONE(ONE)
}

int main() {
  constexpr bool s = true, u = false;
#define COUNT(...) +2
  constexpr int Results = 0 COMPARE(COUNT) COMPUTE(COUNT) ALONE(COUNT);
  static unsigned x[Pairs], y[Pairs], out[Results * Pairs];
  const unsigned edges[] = {0, 0x80808080, 0x7f7f7f7f, ~0u, 0x80008000, 0x7fff7fff, 0x01ff00fe};
  unsigned random = 1;
  for (int i = 0; i < Pairs; ++i) {
    x[i] = i < 49 ? edges[i / 7] : (random = random * 1664525 + 1013904223) ^ random >> 15;
    y[i] = i < 49 ? edges[i % 7] : (random = random * 1664525 + 1013904223) ^ random >> 15;
  }
  unsigned *dx, *dy, *dout;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMalloc(&dout, sizeof out);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
  run<<<Pairs / 256, 256>>>(dx, dy, dout);
  cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
  const unsigned *got = out;
#define WANTED(name, sign, result, as)                                                             \
  for (int bits : {16, 8})                                                                         \
    for (int i = 0; i < Pairs; ++i)                                                                \
      check("__" #name, *got++,                                                                    \
            parts(bits, sign, As::as, x[i], y[i],                                                  \
                  [](long long a, long long b) -> long long { return result; }));
  COMPARE(WANTED)
  COMPUTE(WANTED)
  ALONE(WANTED)
  return failed();
}
