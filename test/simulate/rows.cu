// Rows of threads that run without guards do what the guarded threads do, one by one: sizes around
// blocks, empty and negative ones, indices that wrap. At the lower level one of seven cases.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated -DEACH=7 %s -o %t %cudart
// RUN: %sim %t | %FileCheck %s
// RUN: %build_simulated -O3 %s -o %t.O3 %cudart
// RUN: %sim %t.O3 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <climits>
#include <cstring>
#include <vector>

struct Place {
  uint3 block, thread;
  dim3 grid, dim;
  __host__ __device__ unsigned x() const { return block.x * dim.x + thread.x; }
  __host__ __device__ unsigned y() const { return block.y * dim.y + thread.y; }
};

/// What a kernel gets: values that are not known when it is compiled.
struct Job {
  const float *in;
  float *out;
  int n, m;
  unsigned start, stride;
};

template <class Work> __global__ void kernel(Job j) {
  Work::at({blockIdx, threadIdx, gridDim, blockDim}, j.in, j.out, j.n, j.m, j.start, j.stride);
}

#define WORK(name, ...)                                                                            \
  struct name {                                                                                    \
    static constexpr const char *Name = #name;                                                     \
    __host__ __device__ static void at(Place p, const float *in, float *out, int n, int m,         \
                                       unsigned start, unsigned stride) {                          \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };

// The common forms.
WORK(Int, int i = p.x(); if (i < n) out[i] = in[i] * 0.5f + out[i];)
WORK(Leaves, int i = p.x(); if (i >= n) return; out[i] = in[i] + 1;)
WORK(Turned, int i = p.x(); if (n > i) out[i] += in[i];)
WORK(AtMost, int i = p.x(); if (i <= n - 1) out[i] += in[i];)
WORK(Unsigned, unsigned i = p.x(); if (i < unsigned(n < 0 ? 0 : n)) out[i] += in[i];)
WORK(Mixed, unsigned i = p.x(); if (int(i) < n) out[i] += in[i];)
WORK(Size, size_t i = p.x(); if (i < size_t(n < 0 ? 0 : n)) out[i] += in[i];)
WORK(SizeCast, size_t i = size_t(p.block.x) * p.dim.x + p.thread.x;
     if (i < size_t(n < 0 ? 0 : n)) out[i] += in[i];)
WORK(Long, long long i = p.x(); if (i < n) out[i] += in[i];)
WORK(Short, short i = p.x(); if (i < short(n)) out[i] += in[i];)
WORK(Inner, int i = p.x(); if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i] + in[i + 1];)
WORK(Ranges, int i = p.x(); if (unsigned(i - 3) < unsigned(n)) out[i] += in[i];)
WORK(Back, int i = n - 1 - int(p.x()); if (i >= 0) out[i] += in[i];)
WORK(BackTo, int i = p.x(); if (i < n) out[n - 1 - i] = in[i];)
WORK(Fours, int i = 4 * p.x(); if (i + 3 < n) out[i + 3] = in[i] + in[i + 1] + in[i + 2];)
WORK(Plane, int x = p.x(); int y = p.y(); if (x < n && y < m) out[y * n + x] += in[y * n + x];)
WORK(PlaneLeaves, int x = p.x(); int y = p.y(); if (x >= n || y >= m) return;
     out[y * n + x] += in[y * n + x];)
WORK(
    Nested, int i = p.x(); if (i < n) {
      out[i] += 1;
      if (i >= m)
        out[i] += in[i];
    })
WORK(
    Chosen, int i = p.x(); if (i < n) {
      if (in[i] > 8)
        out[i] = in[i];
      else
        out[i] -= 1;
    })
WORK(Either, int i = p.x(); if (i < n) out[i] += 1; else out[i] += 2;)
WORK(Outside, int i = p.x(); if (!(i < n)) out[i] += in[i];)
WORK(Equal, int i = p.x(); if (i == n) out[i] += 1; if (i != m) out[i] += 2;)
WORK(Same, int i = p.x(); if (i < n) out[i] = out[i] * 2;)
WORK(Invariant, int i = p.x(); if (m > 3) if (i < n) out[i] += in[i];)
WORK(OneOf, int i = p.x(); if (i < n || m == 0) out[i] += in[i];)
// Indices that wrap, back to the thread's number where memory is touched.
WORK(WrapsBelow, int i = int(start + p.x());
     if (i < n) out[unsigned(i) - start] += in[unsigned(i) - start];)
WORK(WrapsAbove, int i = int(start + p.x());
     if (i > n) out[unsigned(i) - start] += in[unsigned(i) - start];)
WORK(WrapsUnsigned, unsigned i = start + p.x();
     if (i < unsigned(n)) out[i - start] += in[i - start];)
WORK(WrapsAtLeast, unsigned i = start + p.x();
     if (i >= unsigned(n)) out[i - start] += in[i - start];)
WORK(WrapsBack, int i = int(start - p.x());
     if (i < n) out[start - unsigned(i)] += in[start - unsigned(i)];)
WORK(WrapsFast, int i = int(start + (p.x() << 20));
     if (i < n) out[(unsigned(i) - start) >> 20] += 1;)
WORK(WrapsFaster, int i = int(start + (p.x() << 24)); if (i < n) out[p.x()] += 1;)
WORK(WrapsWide, size_t i = start + p.x();
     if (i < size_t(unsigned(n))) out[unsigned(i) - start] += 1;)
WORK(WrapsSigned, long long i = int(start + p.x());
     if (size_t(i) < size_t((long long)n)) out[unsigned(i) - start] += 1;)
WORK(WrapsSum, size_t i = size_t(start + p.x()) + stride;
     if (i < size_t(unsigned(n)) + unsigned(m)) out[p.x()] += 1;)
// Extended to 64 bits behind the wrap.
WORK(Zeroes, unsigned i = start + p.x(); if (int(p.x()) < m)((size_t *)out)[p.x()] = size_t(i) * 3;)
WORK(Signs, int i = start + p.x(); if (int(p.x()) < m)((long long *)out)[p.x()] = (long long)i * 3;)
// Grid-stride loops.
WORK(Stride, for (int i = p.x(); i < n; i += p.dim.x * p.grid.x) out[i] += in[i];)
WORK(StrideUnsigned, for (unsigned i = p.x(); i < unsigned(n < 0 ? 0 : n); i += p.dim.x * p.grid.x)
                         out[i] += in[i];)
WORK(StrideSize,
     for (size_t i = p.x(); i < size_t(n < 0 ? 0 : n); i += p.dim.x * p.grid.x) out[i] += in[i];)
WORK(StrideSizeCast,
     for (size_t i = size_t(p.block.x) * p.dim.x + p.thread.x; i < size_t(n < 0 ? 0 : n);
          i += size_t(p.dim.x) * p.grid.x) out[i] += in[i];)
WORK(StrideChosen, for (int i = p.x(); i < n; i += p.dim.x * p.grid.x) if (in[i] > 5) out[i] += 1;)
WORK(StrideBefore, int t = p.x(); float own = t < n ? out[t] : 3;
     for (int i = t; i < n; i += p.dim.x * p.grid.x) out[i] += own;)
WORK(StrideSum, float sum = 0; for (int i = p.x(); i < n; i += p.dim.x * p.grid.x) sum += in[i];
     out[p.x()] = sum;)
// Memory of each thread's own, from its first round to the later ones.
WORK(
    StrideOwn, float own[8]; int total = p.dim.x * p.grid.x;
    for (int i = p.x(); i < n; i += total) {
      if (i < total)
        own[m & 7] = in[i];
      out[i] += own[(m & 7) ^ (i >> 30)];
    })
WORK(StrideThread, for (int i = p.x(); i < n; i += p.dim.x * p.grid.x) out[i] += p.thread.x;)
WORK(StrideDown, for (int i = n - 1 - int(p.x()); i >= 0; i -= p.dim.x * p.grid.x) out[i] += in[i];)
WORK(
    StrideTwice, for (int i = p.x(); i < n; i += p.dim.x * p.grid.x) {
      out[i] += 1;
      out[i] *= in[i];
    })
// i, i - 0x60000000, and the next one wraps to 0x40000000 + i.
WORK(StrideWraps, for (int i = p.x(); i < n; i = int(unsigned(i) + stride))
                      out[unsigned(i) & 0xffff] += in[unsigned(i) & 0xffff];)
// Some threads of a row end, others wrap and go on.
WORK(StrideParts, for (int i = int(start + p.x()); i < n; i = int(unsigned(i) + stride))
                      out[p.x() + (unsigned(i) >> 28) * 4096] += 1;)
WORK(StridePartsUnsigned, for (unsigned i = start + p.x(); i < unsigned(n); i += stride)
                              out[p.x() + (i >> 28) * 4096] += 1;)

WORK(StrideSigns,
     for (unsigned i = start + p.x(); i < unsigned(n);
          i += stride)((long long *)out)[p.x() + (i >> 30) * 4096] = (long long)int(i) * 3;)

constexpr int Slots = 1 << 16, Margin = 64;

struct Shape {
  dim3 grid, block;
};
const Shape Shapes[] = {{1, 1},           {1, 7},   {1, 256},  {2, 32},   {3, 256},
                        {4, 250},         {1, 300}, {1, 1024}, {2, 1000}, {{2, 3}, {16, 8}},
                        {{3, 2}, {33, 3}}};

#ifndef EACH
#define EACH 1
#endif
/// Seven is no factor of the number of any list's values: all of them have their turn.
bool isTurn() {
  static unsigned count = 0;
  return count++ % EACH == 0;
}

template <class Work> bool same(const Shape &s, int n, int m, unsigned start, unsigned stride) {
  static float *in = nullptr, *out = nullptr;
  static std::vector<float> first(Slots + 2 * Margin), values(first.size()), wanted;
  if (!in) {
    cudaMalloc(&in, first.size() * sizeof(float));
    cudaMalloc(&out, first.size() * sizeof(float));
    for (size_t i = 0; i < first.size(); ++i)
      first[i] = float(i % 37) / 3;
    cudaMemcpy(in, first.data(), first.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaMemcpy(out, first.data(), first.size() * sizeof(float), cudaMemcpyHostToDevice);
  kernel<Work><<<s.grid, s.block>>>({in + Margin, out + Margin, n, m, start, stride});
  cudaMemcpy(values.data(), out, values.size() * sizeof(float), cudaMemcpyDeviceToHost);

  wanted = first; // in its old place: a new one would be cleared by the system, page by page
  Place p = {{}, {}, s.grid, s.block};
  for (p.block.y = 0; p.block.y < s.grid.y; ++p.block.y)
    for (p.block.x = 0; p.block.x < s.grid.x; ++p.block.x)
      for (p.thread.y = 0; p.thread.y < s.block.y; ++p.thread.y)
        for (p.thread.x = 0; p.thread.x < s.block.x; ++p.thread.x)
          Work::at(p, first.data() + Margin, wanted.data() + Margin, n, m, start, stride);
  if (!std::memcmp(wanted.data(), values.data(), values.size() * sizeof(float)))
    return true;
  std::printf("%s: wrong with %ux%u blocks of %ux%u, n %d, m %d, start %u, stride %u\n", Work::Name,
              s.grid.x, s.grid.y, s.block.x, s.block.y, n, m, start, stride);
  return false;
}

/// Only where no thread writes what another one touches: y must not matter.
template <class... Works> bool rows() {
  bool right = true;
  for (const Shape &s : Shapes)
    if (s.block.y == 1)
      for (int n : {INT_MIN / 2, -1000, -1,  0,    1,    2,    6,    7,    8,    31,  32,
                    33,          63,    64,  65,   255,  256,  257,  511,  512,  513, 767,
                    768,         769,   999, 1000, 1001, 1999, 2000, 2001, 2048, 5003})
        for (int m : {0, 40, 300})
          if (isTurn())
            right = (same<Works>(s, n, m, 0, 0) & ... & right);
  return right;
}

template <class... Works> bool planes() {
  bool right = true;
  for (const Shape &s : Shapes)
    for (int n : {-3, 0, 1, 15, 16, 17, 31, 32, 33, 98, 99, 100, 1024})
      for (int m : {-1, 0, 1, 2, 3, 5, 6, 7, 24, 50})
        if (isTurn())
          right = (same<Works>(s, n, m, 0, 0) & ... & right);
  return right;
}

template <class... Works> bool wraps() {
  bool right = true;
  for (const Shape &s : Shapes)
    if (s.block.y == 1)
      for (unsigned edge : {0u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
        for (unsigned before : {0u, 1u, 6u, 7u, 8u, 31u, 32u, 255u, 256u, 257u, 1000u, 3000u})
          for (unsigned bound : {edge, edge + 1, edge - 1, edge + 100, edge - 100, 0x40000000u})
            if (isTurn())
              right = (same<Works>(s, int(bound), 1500, edge - before, 1000) & ... & right);
  return right;
}

template <class... Works> bool strides(unsigned start, unsigned stride, int n) {
  bool right = true;
  for (const Shape &s : Shapes)
    if (s.block.y == 1)
      right = (same<Works>(s, n, 0, start, stride) & ... & right);
  return right;
}

int main() {
  bool right =
      rows<Int, Leaves, Turned, AtMost, Unsigned, Mixed, Size, SizeCast, Long, Short, Inner, Ranges,
           Back, BackTo, Fours, Nested, Chosen, Either, Outside, Equal, Same, Invariant, OneOf>();
  right &= rows<Stride, StrideUnsigned, StrideSize, StrideSizeCast, StrideChosen, StrideBefore,
                StrideSum, StrideThread, StrideOwn, StrideDown, StrideTwice>();
  right &= planes<Plane, PlaneLeaves>();
  right &= wraps<WrapsBelow, WrapsAbove, WrapsUnsigned, WrapsAtLeast, WrapsBack, WrapsFast,
                 WrapsFaster, WrapsWide, WrapsSigned, WrapsSum, Zeroes, Signs>();
  for (int n : {1000, 1, 0, 255, 256, 5000})
    right &= strides<StrideWraps>(0, 0xa0000000u, n);
  for (unsigned off : {0u, 1u, 100u, 255u, 256u, 257u, 300u}) {
    right &= strides<StrideParts>(0x4fffff00u + off, 0x30000000u, 0x50000100);
    right &= strides<StrideSigns>(0x7fffff00u + off, 0x60000000u, int(0x80000100u));
    right &= strides<StridePartsUnsigned>(0x9fffff00u + off, 0x60000000u, int(0xa0000100u));
  }
  check("all", right, true);
  return failed();
}
