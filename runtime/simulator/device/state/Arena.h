// The memory of one simulated device: one reserved range of host addresses, cut into blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace gpuinstr::sim {

/// Best-fit allocator. Pages are committed by the kernel on first touch and given back when large
/// blocks are freed. Not thread-safe: the state's mutex guards it.
class Arena {
public:
  static constexpr size_t Granularity = 512; ///< cudaMalloc's alignment, in bytes.

  /// Reserves address space for \p bytes of memory. Returns false when the system refuses.
  /// \p guarded: each block lies on pages of its own and ends less than Granularity bytes before a
  /// page that nobody may touch; pages of no block may not be touched either.
  bool reserve(size_t bytes, bool guarded);
  /// Returns the first byte of a new block, 0 when no hole is large enough.
  uintptr_t allocate(size_t bytes, size_t align = Granularity);
  /// Frees the block that starts at \p address; false when there is none.
  bool release(uintptr_t address);
  bool contains(uintptr_t address) const { return address - Base < Reserved; }
  /// Counts memory held outside the arena (cuMemCreate) against the limit; false when it does not
  /// fit any more.
  bool charge(size_t bytes);
  void discharge(size_t bytes) { Outside -= bytes; }
  size_t size() const { return Size; }
  size_t used() const { return Used + Outside; }
  uintptr_t base() const { return Base; }

private:
  bool open(uintptr_t address, size_t bytes);
  void close(uintptr_t address, size_t bytes);
  void addHole(uintptr_t address, size_t bytes);
  void removeHole(std::map<uintptr_t, size_t>::iterator hole);

  uintptr_t Base = 0;
  size_t Size = 0;     ///< Bytes that blocks may have together.
  size_t Reserved = 0; ///< Bytes of address space.
  bool Guarded = false;
  size_t Used = 0;
  size_t Outside = 0;
  std::map<uintptr_t, size_t> Holes;                  ///< Address to bytes.
  std::set<std::pair<size_t, uintptr_t>> HolesBySize; ///< For best fit.
  struct Block {
    uintptr_t place; ///< What it takes of the address space.
    size_t placeBytes, bytes;
  };
  std::unordered_map<uintptr_t, Block> Blocks;
};

} // namespace gpuinstr::sim
