// One thread's share in hashing a region: the walk that all grids, and the simulator, run.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HASH_HASHREGION_H
#define GPUINSTR_AUDIT_HASH_HASHREGION_H

#include "audit/hash/ContentHash.h"

#if defined(__clang__)
#define GPUINSTR_UNROLL _Pragma("unroll")
#define GPUINSTR_NO_UNROLL _Pragma("nounroll")
#else
#define GPUINSTR_UNROLL
#define GPUINSTR_NO_UNROLL
#endif

namespace gpuinstr::audit::hash {

/// What a kernel is given. `rows` of `width` bytes, `pitch` apart, in slices of `sliceRows` that
/// are `slicePitch` apart; one row when the bytes lie together.
struct Work {
  uint64_t address = 0;
  uint64_t bytes = 0; ///< all of them, gaps left out
  uint64_t width = 0, pitch = 0;
  uint64_t sliceRows = 0, slicePitch = 0;
  uint64_t perWidth = 0, perSlice = 0; ///< for quotient(): reciprocals of width and sliceRows
  uint64_t result = 0;                 ///< device address of a Result
  uint64_t stamp = 0;
  uint32_t scratch = 0; ///< index of the partial sums, one for each launch under way
};

/// Filled by the device, in any order.
struct Result {
  uint64_t first, second, seal, unused;
};

/// Fits no other hash, and no other use of the same record: half-written results do not pass. A
/// fence of the whole system in the kernel would cost a microsecond.
GPUINSTR_BOTH uint64_t seal(const ContentHash &h, uint64_t stamp) {
  return multiplyFold(h.first ^ StartA, h.second ^ StartB) + stamp * StepA;
}

/// Where a thread stands.
struct Place {
  uint32_t thread, threads, block, blocks;
};

constexpr uint32_t Unroll = 4; ///< words that a thread has under way

/// floor(2^64 / n), as far as 64 bits hold it.
GPUINSTR_BOTH uint64_t reciprocal(uint64_t n) { return n < 2 ? ~uint64_t(0) : ~uint64_t(0) / n; }

/// x / n, for x below 2^60; devices divide slowly. The estimate is at most one too small.
GPUINSTR_BOTH uint64_t quotient(uint64_t x, uint64_t n, uint64_t perN) {
#if defined(__CUDA_ARCH__)
  uint64_t q = __nvvm_mulhi_ull(x, perN);
#else
  __extension__ typedef unsigned __int128 Wide;
  uint64_t q = uint64_t(Wide(x) * perN >> 64);
#endif
  return q + (x - q * n >= n);
}

/// An aligned word. Read once: it should not push the program's data out of the caches.
GPUINSTR_BOTH void loadAligned(uint64_t address, uint64_t &low, uint64_t &high) {
#if defined(__CUDA_ARCH__)
  asm("ld.global.cs.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(address));
#else
  const auto *at = reinterpret_cast<const uint64_t *>(address);
  low = at[0];
  high = at[1];
#endif
}

GPUINSTR_BOTH uint64_t loadByte(uint64_t address) {
#if defined(__CUDA_ARCH__)
  uint32_t value;
  asm("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(address));
  return value;
#else
  return *reinterpret_cast<const uint8_t *>(address);
#endif
}

/// The 16 bytes that start `skip` (1 to 15) bytes into two words.
GPUINSTR_BOTH void cutOut(const uint64_t (&four)[4], uint32_t skip, uint64_t &low, uint64_t &high) {
  bool half = skip >= 8;
  uint64_t x = half ? four[1] : four[0], y = half ? four[2] : four[1], z = half ? four[3] : four[2];
  uint32_t bits = 8 * (skip & 7);
  low = x >> bits | (y << 1) << (63 - bits);
  high = y >> bits | (z << 1) << (63 - bits);
}

/// A word at any address, where the aligned words around it may be read as well.
GPUINSTR_BOTH void loadShifted(uint64_t address, uint64_t &low, uint64_t &high) {
  uint64_t four[4];
  uint64_t aligned = address & ~uint64_t(15);
  loadAligned(aligned, four[0], four[1]);
  loadAligned(aligned + 16, four[2], four[3]);
  cutOut(four, uint32_t(address) & 15, low, high);
}

GPUINSTR_BOTH void appendByte(uint64_t byte, uint32_t i, uint64_t &low, uint64_t &high) {
  byte <<= 8 * (i & 7);
  low |= i < 8 ? byte : 0;
  high |= i < 8 ? 0 : byte;
}

/// `count` (1 to 16) bytes; nothing else is touched.
GPUINSTR_BOTH void loadBytes(uint64_t address, uint32_t count, uint64_t &low, uint64_t &high) {
  low = high = 0;
  GPUINSTR_NO_UNROLL // rare: registers and code matter more
      for (uint32_t i = 0; i < count; ++i) appendByte(loadByte(address + i), i, low, high);
}

/// A whole word of the row [begin, end).
GPUINSTR_BOTH void loadInRow(uint64_t address, uint64_t begin, uint64_t end, uint64_t &low,
                             uint64_t &high) {
  uint64_t aligned = address & ~uint64_t(15);
  if (aligned == address)
    loadAligned(address, low, high);
  else if (aligned >= begin && end - aligned >= 32)
    loadShifted(address, low, high);
  else
    loadBytes(address, WordBytes, low, high);
}

/// The words [first, last) by their index, with `load(index, low, high)`: all of a thread's loads
/// of a tile are under way before the first is used. The last tile's surplus loads repeat a word.
template <typename Load>
GPUINSTR_BOTH void hashTiles(Sums &sums, uint64_t first, uint64_t last, Place p, Load &&load) {
  const uint64_t tile = uint64_t(p.threads) * Unroll;
  Keys key = Keys::at(p.block * tile + p.thread);
  for (uint64_t base = p.block * tile; base < last; base += p.blocks * tile) {
    uint64_t low[Unroll], high[Unroll];
    const uint64_t index = base + p.thread;
    if (base >= first && base + tile <= last) {
      GPUINSTR_UNROLL
      for (uint32_t j = 0; j < Unroll; ++j)
        load(index + uint64_t(j) * p.threads, low[j], high[j]);
      GPUINSTR_UNROLL
      for (uint32_t j = 0; j < Unroll; ++j)
        sums.add(low[j], high[j], key.ahead(uint64_t(j) * p.threads));
    } else {
      GPUINSTR_UNROLL
      for (uint32_t j = 0; j < Unroll; ++j) {
        uint64_t i = index + uint64_t(j) * p.threads;
        i = i < first ? first : i;
        load(i < last ? i : last - 1, low[j], high[j]);
      }
      GPUINSTR_UNROLL
      for (uint32_t j = 0; j < Unroll; ++j) {
        uint64_t i = index + uint64_t(j) * p.threads;
        if (i >= first && i < last)
          sums.add(low[j], high[j], key.ahead(uint64_t(j) * p.threads));
      }
    }
    key = key.ahead(p.blocks * tile);
  }
}

/// What no tile holds: the last bytes, fewer than a word, and from an unaligned address the first
/// and the last word, around which nothing else may be read. Threads of the first block take one
/// each.
template <bool Aligned> GPUINSTR_BOTH void hashEdges(Sums &sums, const Work &w, Place p) {
  if (p.block)
    return;
  const uint64_t whole = w.bytes / WordBytes;
  for (uint32_t item = p.thread; item < 3; item += p.threads) {
    uint64_t index = item == 0 ? whole : item == 1 ? 0 : whole - 1;
    uint32_t count = item == 0 ? w.bytes % WordBytes : WordBytes;
    if (item == 0 ? count == 0 : Aligned || whole < item)
      continue;
    uint64_t low, high;
    loadBytes(w.address + index * WordBytes, count, low, high);
    sums.add(low, high, Keys::at(index));
  }
}

/// Bytes that lie together, from an aligned address or any other.
template <bool Aligned> GPUINSTR_BOTH Sums hashFlat(const Work &w, Place p) {
  Sums sums;
  const uint64_t whole = w.bytes / WordBytes, edge = Aligned ? 0 : 1;
  if (whole > 2 * edge)
    hashTiles(sums, edge, whole - edge, p, [&w](uint64_t index, uint64_t &low, uint64_t &high) {
      const uint64_t at = w.address + index * WordBytes;
      Aligned ? loadAligned(at, low, high) : loadShifted(at, low, high);
    });
  hashEdges<Aligned>(sums, w, p);
  return sums;
}

GPUINSTR_BOTH uint64_t rowAddress(const Work &w, uint64_t row) {
  uint64_t slice = row < w.sliceRows ? 0 : quotient(row, w.sliceRows, w.perSlice);
  return w.address + slice * w.slicePitch + (row - slice * w.sliceRows) * w.pitch;
}

/// A word that row ends cut, or the end does.
GPUINSTR_BOTH void gather(const Work &w, uint64_t row, uint64_t column, uint64_t count,
                          uint64_t &low, uint64_t &high) {
  low = high = 0;
  uint64_t at = rowAddress(w, row) + column;
  GPUINSTR_NO_UNROLL
  for (uint32_t i = 0; i < count; ++i) {
    appendByte(loadByte(at), i, low, high);
    ++at;
    if (++column == w.width && i + 1 < count) {
      column = 0;
      at = rowAddress(w, ++row);
    }
  }
}

/// Rows with gaps between them; all of them whole aligned words.
GPUINSTR_BOTH Sums hashAlignedRows(const Work &w, Place p) {
  Sums sums;
  hashTiles(sums, 0, w.bytes / WordBytes, p, [&w](uint64_t index, uint64_t &low, uint64_t &high) {
    uint64_t at = index * WordBytes, row = quotient(at, w.width, w.perWidth);
    loadAligned(rowAddress(w, row) + (at - row * w.width), low, high);
  });
  return sums;
}

/// Any rows with gaps between them.
GPUINSTR_BOTH Sums hashRows(const Work &w, Place p) {
  Sums sums;
  const uint64_t words = (w.bytes + WordBytes - 1) / WordBytes;
  const uint64_t stride = uint64_t(p.blocks) * p.threads;
  uint64_t index = uint64_t(p.block) * p.threads + p.thread;
  Keys key = Keys::at(index);
  for (; index < words; index += stride, key = key.ahead(stride)) {
    uint64_t at = index * WordBytes, row = quotient(at, w.width, w.perWidth);
    uint64_t column = at - row * w.width, low, high;
    if (w.width - column >= WordBytes) {
      uint64_t begin = rowAddress(w, row);
      loadInRow(begin + column, begin, begin + w.width, low, high);
    } else {
      uint64_t left = w.bytes - at;
      gather(w, row, column, left < WordBytes ? left : WordBytes, low, high);
    }
    sums.add(low, high, key);
  }
  return sums;
}

} // namespace gpuinstr::audit::hash

#endif
