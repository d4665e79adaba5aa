// Runs a kernel as plain C++ and tells what it did with the memory that its arguments lead to.
// SPDX-License-Identifier: Apache-2.0
//
// Memory that was read is found by running again with other bytes there: something else comes out.
// One line for each kernel, buffer and pointer:
//   kernel N endless globals     it went round for long; global variables changed
//   buffer N K written read moved kept
//                                moved: memory decides which bytes are written; kept: its address stands in memory
//   pointer N ARGUMENT OFFSET K through
//                                there the argument leads to buffer K; through: by a table of addresses
#ifndef GPUINSTR_TEST_RANDOM_OBSERVE_H
#define GPUINSTR_TEST_RANDOM_OBSERVE_H
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#undef __global__
#define __global__
#undef __device__
#define __device__
#undef __host__
#define __host__
#undef __shared__
#define __shared__ static
#define LAUNCH(N, KERNEL, ...) observe(N, UNPACK KERNEL, __VA_ARGS__)
#define ROUND goRound()
constexpr int Buffers = 12, Floats = 4096, Rounds = 2000;
inline float storage[Buffers + 2][Floats]; // pointers may leave the first and the last one
inline float (*const buffer)[Floats] = storage + 1;
constexpr size_t Each = Floats * sizeof(float), Bytes = Buffers * Each;
inline float *table[2][4];
extern float total;
extern float *last;
inline struct { unsigned x; } threadIdx;
inline int rounds;
struct Endless {};
inline void goRound() {
  if (++rounds > Rounds)
    throw Endless();
}
inline float atomicAdd(float *p, float v) { const float was = *p; *p += v; return was; }
inline float atomicExch(float *p, float v) { const float was = *p; *p = v; return was; }
inline float __ldg(const float *p) { return *p; }
inline void __stwt(float *p, float v) { *p = v; }

struct Memory {
  std::vector<float> bytes;
  float *tables[2][4];
  float *held;
  float sum;
  bool endless;
};

/// Other bytes in buffer Other; -1: in none.
inline void begin(int other) {
  for (int k = 0; k < Buffers; ++k)
    for (int j = 0; j < Floats; ++j)
      buffer[k][j] = float(k + 1) * float(j % 61 + 1) + 0.375f + (k == other ? 4097 : 0);
  for (int t = 0; t < 2; ++t)
    for (int j = 0; j < 4; ++j)
      table[t][j] = buffer[7 + 2 * t + j % 2];
  last = buffer[11];
  total = 1;
  rounds = 0;
}

template <class R, class... A> Memory result(int other, R kernel, const A &...arguments) {
  begin(other);
  Memory m{};
  try {
    for (threadIdx.x = 0; threadIdx.x < 8; ++threadIdx.x)
      kernel(3, arguments...);
  } catch (Endless) {
    m.endless = true;
  }
  m.bytes.assign(&buffer[0][0], &buffer[0][0] + Buffers * Floats);
  memcpy(m.tables, table, sizeof table);
  m.held = last;
  m.sum = total;
  return m;
}

inline int bufferOf(const void *p) {
  const auto at = uintptr_t(p) - uintptr_t(buffer);
  return at < Bytes ? int(at / Each) : -1;
}

template <class R, class... A> void observe(int n, R kernel, const A &...arguments) {
  begin(-1);
  const std::vector<float> before(&buffer[0][0], &buffer[0][0] + Buffers * Floats);
  const Memory base = result(-1, kernel, arguments...);
  bool written[Buffers] = {}, read[Buffers] = {}, moved[Buffers] = {}, kept[Buffers] = {};
  bool endless = base.endless, globals = base.sum != 1;
  auto byte = [](const std::vector<float> &of, size_t i) {
    return reinterpret_cast<const unsigned char *>(of.data())[i];
  };
  for (size_t i = 0; i < Bytes && !base.endless; ++i)
    written[i / Each] |= byte(base.bytes, i) != byte(before, i);
  for (int k = 0; k < Buffers; ++k) {
    begin(k);
    const std::vector<float> other(&buffer[0][0], &buffer[0][0] + Buffers * Floats);
    const Memory now = result(k, kernel, arguments...);
    endless |= now.endless;
    globals |= now.sum != 1 || now.held != base.held;
    if (base.endless || now.endless) // stopped halfway
      continue;
    read[k] |= now.sum != base.sum || memcmp(now.tables, base.tables, sizeof table);
    for (size_t i = 0; i < Bytes; ++i) {
      const int of = int(i / Each);
      const bool first = byte(base.bytes, i) != byte(before, i), second = byte(now.bytes, i) != byte(other, i);
      written[of] |= second;
      // A byte may get the value that it had; a number hardly ever does.
      const size_t whole = i / 4 * 4;
      if (i == whole && first != second) {
        bool a = false, b = false;
        for (size_t j = whole; j < whole + 4; ++j) {
          a |= byte(base.bytes, j) != byte(before, j);
          b |= byte(now.bytes, j) != byte(other, j);
        }
        moved[of] |= a != b;
        read[k] |= a != b;
      }
      read[k] |= of == k ? first && second && byte(base.bytes, i) != byte(now.bytes, i)
                         : byte(base.bytes, i) != byte(now.bytes, i);
    }
  }
  begin(-1);
  auto keep = [&](float *was, float *now) {
    if (was != now && bufferOf(now) >= 0)
      kept[bufferOf(now)] = true;
  };
  for (int t = 0; t < 2 && !base.endless; ++t)
    for (int j = 0; j < 4; ++j)
      keep(table[t][j], base.tables[t][j]);
  keep(last, base.held);
  for (size_t i = 0; i + 1 < base.bytes.size() && !base.endless; i += 2) {
    float *word;
    memcpy(&word, &base.bytes[i], sizeof word);
    keep(nullptr, word);
  }
  globals |= base.held != last;
  printf("kernel %d %d %d\n", n, endless, globals);
  for (int k = 0; k < Buffers; ++k)
    printf("buffer %d %d %d %d %d %d\n", n, k, written[k], read[k], moved[k], kept[k]);
  int argument = 1;
  auto scan = [&](const void *p, size_t bytes) {
    for (size_t at = 0; at + 8 <= bytes; at += 4) {
      char *leads;
      memcpy(&leads, static_cast<const char *>(p) + at, 8);
      if (const int k = bufferOf(leads); k >= 0)
        printf("pointer %d %d %zu %d 0\n", n, argument, at, k);
      const auto in = uintptr_t(leads) - uintptr_t(table);
      if (in < sizeof table)
        for (int j = 0; j < 4; ++j)
          printf("pointer %d %d %zu %d 1\n", n, argument, at, bufferOf(table[in / sizeof table[0]][j]));
    }
    ++argument;
  };
  [&](A... copy) { (scan(&copy, sizeof copy), ...); }(arguments...);
}
#endif
