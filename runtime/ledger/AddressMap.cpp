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

void copy(Entry *to, const Entry *from, uint32_t count) {
  std::memcpy(static_cast<void *>(to), from, count * sizeof(Entry));
}

/// These two move a few entries: the C library's function for it lies on a page of its own. What
/// the empty statement is there for: the compiler would call it all the same.
void moveUp(Entry *first, uint32_t count) {
  for (Entry *entry = first + count; entry != first; --entry) {
    *entry = entry[-1];
    __asm__ volatile("" ::: "memory");
  }
}
void moveDown(Entry *first, uint32_t count) {
  for (Entry *entry = first, *end = first + count; entry != end; ++entry) {
    *entry = entry[1];
    __asm__ volatile("" ::: "memory");
  }
}

} // namespace

void AddressMapBase::clear() {
  delete First.entries;
  First = Block();
  for (Block &block : Rest)
    delete block.entries;
  Rest.clear();
  Size = 0;
}

/// Of several blocks, the last one that begins at the address or below; else the first.
std::size_t AddressMapBase::searchBlock(uint64_t address) const {
  auto after = std::upper_bound(Rest.begin(), Rest.end(), address,
                                [](uint64_t a, const Block &block) { return a < block.first; });
  return std::size_t(after - Rest.begin());
}

GPUINSTR_HOT const Entry *AddressMapBase::floor(uint64_t address) const {
  if (Size == 0)
    return nullptr;
  const Block &in = block(blockOf(address));
  uint32_t upTo = countUpTo(in.entries->all, in.count, address);
  return upTo ? &in[upTo - 1] : nullptr;
}

const Entry *AddressMapBase::above(uint64_t address) const {
  if (Size == 0)
    return nullptr;
  std::size_t at = blockOf(address);
  const Block &in = block(at);
  uint32_t upTo = countUpTo(in.entries->all, in.count, address);
  if (upTo < in.count)
    return &in[upTo];
  return at + 1 < numBlocks() ? &block(at + 1)[0] : nullptr;
}

/// Its upper half becomes a block of its own.
void AddressMapBase::split(std::size_t at) {
  constexpr uint32_t Half = Capacity / 2;
  if (Rest.capacity() == Rest.size())
    Rest.reserve(2 * Rest.size() + 4); // what may throw comes first
  Block upper;
  upper.entries = new Entries;
  Block &lower = block(at);
  copy(&upper[0], &lower[Half], Capacity - Half);
  upper.first = upper[0].address;
  upper.count = Capacity - Half;
  lower.count = Half;
  Rest.insert(Rest.begin() + std::ptrdiff_t(at), upper);
}

GPUINSTR_HOT void AddressMapBase::set(uint64_t address, void *value) {
  if (__builtin_expect(!First.entries, false))
    First.entries = new Entries;
  Block *in = &block(blockOf(address));
  uint32_t upTo = countUpTo(in->entries->all, in->count, address);
  if (upTo && (*in)[upTo - 1].address == address) {
    (*in)[upTo - 1].value = value;
    return;
  }
  if (__builtin_expect(in->count == Capacity, false)) {
    split(std::size_t(in == &First ? 0 : in - Rest.data() + 1));
    in = &block(blockOf(address));
    upTo = countUpTo(in->entries->all, in->count, address);
  }
  moveUp(&(*in)[upTo], in->count - upTo);
  (*in)[upTo] = {address, value};
  in->first = (*in)[0].address;
  ++in->count;
  ++Size;
}

/// It has become so small that it fits into the next one, or is empty.
void AddressMapBase::shrink(std::size_t at) {
  if (at + 1 == numBlocks())
    --at;
  Block &into = block(at), &next = block(at + 1);
  if (into.count && next.count && into.count + next.count > Capacity / 2)
    return;
  copy(&into[into.count], &next[0], next.count);
  into.count += next.count;
  into.first = into[0].address;
  delete next.entries;
  Rest.erase(Rest.begin() + std::ptrdiff_t(at));
}

GPUINSTR_HOT void *AddressMapBase::take(uint64_t address) {
  if (Size == 0)
    return nullptr;
  std::size_t at = blockOf(address);
  Block &in = block(at);
  uint32_t upTo = countUpTo(in.entries->all, in.count, address);
  if (!upTo || in[upTo - 1].address != address)
    return nullptr;
  void *value = in[upTo - 1].value;
  --in.count;
  --Size;
  moveDown(&in[upTo - 1], in.count - (upTo - 1));
  if (in.count)
    in.first = in[0].address;
  if (__builtin_expect(!Rest.empty() && in.count <= Capacity / 4, false))
    shrink(at);
  return value;
}

} // namespace gpuinstr
