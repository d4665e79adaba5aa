// Pointers by address, in order.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/AddressMap.h"
#include "base/HotCode.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr {

namespace {

using Entry = AddressMapBase::Entry;

/// How many of the entries are at the address or below.
uint32_t countUpTo(const Entry *entries, uint32_t count, uint64_t address) {
  uint32_t from = 0;
  while (count) {
    uint32_t half = count / 2;
    bool below = entries[from + half].address <= address;
    from = below ? from + half + 1 : from;
    count = below ? count - half - 1 : half;
  }
  return from;
}

void move(Entry *to, const Entry *from, uint32_t count) {
  std::memmove(static_cast<void *>(to), from, count * sizeof(Entry));
}

} // namespace

void AddressMapBase::clear() {
  for (Block &block : Blocks)
    delete[] block.entries;
  Blocks.clear();
  Size = 0;
}

/// Of several blocks, the last one that begins at the address or below; else the first.
std::size_t AddressMapBase::searchBlock(uint64_t address) const {
  auto after = std::upper_bound(Blocks.begin(), Blocks.end(), address,
                                [](uint64_t a, const Block &block) { return a < block.first; });
  return after == Blocks.begin() ? 0 : std::size_t(after - Blocks.begin()) - 1;
}

GPUINSTR_HOT const Entry *AddressMapBase::floor(uint64_t address) const {
  if (Size == 0)
    return nullptr;
  const Block &block = Blocks[blockOf(address)];
  uint32_t upTo = countUpTo(block.entries, block.count, address);
  return upTo ? &block.entries[upTo - 1] : nullptr;
}

const Entry *AddressMapBase::above(uint64_t address) const {
  if (Size == 0)
    return nullptr;
  std::size_t at = blockOf(address);
  uint32_t upTo = countUpTo(Blocks[at].entries, Blocks[at].count, address);
  if (upTo < Blocks[at].count)
    return &Blocks[at].entries[upTo];
  return at + 1 < Blocks.size() ? &Blocks[at + 1].entries[0] : nullptr;
}

/// Its upper half becomes a block of its own.
void AddressMapBase::split(std::size_t at) {
  constexpr uint32_t Half = Capacity / 2;
  if (Blocks.capacity() == Blocks.size())
    Blocks.reserve(2 * Blocks.size()); // what may throw comes first
  auto *upper = new Entry[Capacity];
  Block &block = Blocks[at];
  move(upper, block.entries + Half, Capacity - Half);
  block.count = Half;
  Blocks.insert(Blocks.begin() + std::ptrdiff_t(at) + 1,
                Block{upper[0].address, upper, Capacity - Half});
}

GPUINSTR_HOT void AddressMapBase::set(uint64_t address, void *value) {
  if (Blocks.empty()) {
    Blocks.reserve(4);
    Blocks.push_back({address, new Entry[Capacity], 0});
  }
  std::size_t at = blockOf(address);
  uint32_t upTo = countUpTo(Blocks[at].entries, Blocks[at].count, address);
  if (upTo && Blocks[at].entries[upTo - 1].address == address) {
    Blocks[at].entries[upTo - 1].value = value;
    return;
  }
  if (Blocks[at].count == Capacity) {
    split(at);
    at = blockOf(address);
    upTo = countUpTo(Blocks[at].entries, Blocks[at].count, address);
  }
  Block &block = Blocks[at];
  if (upTo < block.count)
    move(block.entries + upTo + 1, block.entries + upTo, block.count - upTo);
  block.entries[upTo] = {address, value};
  block.first = block.entries[0].address;
  ++block.count;
  ++Size;
}

/// It has become so small that it fits into the next one, or is empty.
void AddressMapBase::shrink(std::size_t at) {
  if (at + 1 == Blocks.size() && at > 0)
    --at;
  if (at + 1 == Blocks.size())
    return;
  Block &block = Blocks[at], &next = Blocks[at + 1];
  if (block.count && next.count && block.count + next.count > Capacity / 2)
    return;
  move(block.entries + block.count, next.entries, next.count);
  block.count += next.count;
  block.first = block.entries[0].address;
  delete[] next.entries;
  Blocks.erase(Blocks.begin() + std::ptrdiff_t(at) + 1);
}

GPUINSTR_HOT void *AddressMapBase::take(uint64_t address) {
  if (Size == 0)
    return nullptr;
  std::size_t at = blockOf(address);
  Block &block = Blocks[at];
  uint32_t upTo = countUpTo(block.entries, block.count, address);
  if (!upTo || block.entries[upTo - 1].address != address)
    return nullptr;
  void *value = block.entries[upTo - 1].value;
  if (upTo < block.count)
    move(block.entries + upTo - 1, block.entries + upTo, block.count - upTo);
  --block.count;
  --Size;
  if (block.count)
    block.first = block.entries[0].address;
  if (__builtin_expect(Blocks.size() > 1 && block.count <= Capacity / 4, false))
    shrink(at);
  return value;
}

} // namespace gpuinstr
