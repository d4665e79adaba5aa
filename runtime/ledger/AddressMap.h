// Pointers by address, in order: what is looked up at each allocation and free.
// SPDX-License-Identifier: Apache-2.0
//
// A sorted list of sorted blocks. Where little is in it, all of it lies in two or three cache
// lines, and an insertion after an erasure allocates nothing. The code is one for all that use it.
#ifndef GPUINSTR_LEDGER_ADDRESSMAP_H
#define GPUINSTR_LEDGER_ADDRESSMAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuinstr {

/// Of any pointer; AddressMap has the types.
class AddressMapBase {
public:
  AddressMapBase() = default;
  AddressMapBase(const AddressMapBase &) = delete;
  ~AddressMapBase() { clear(); }

  struct Entry {
    uint64_t address;
    void *value;
  };

  std::size_t size() const { return Size; }
  bool empty() const { return Size == 0; }
  void clear();

protected:
  /// The last one at the address or below; null: none.
  const Entry *floor(uint64_t address) const;
  /// The first one above the address; null: none.
  const Entry *above(uint64_t address) const;
  /// In place of what the address had. Throws when memory is out: then nothing has changed.
  void set(uint64_t address, void *value);
  /// What the address had; null: nothing.
  void *take(uint64_t address);

  static constexpr uint32_t Capacity = 32;
  struct Block {
    uint64_t first; ///< its first entry's address
    Entry *entries;
    uint32_t count; ///< 0 only while it is the only one
  };
  std::vector<Block> Blocks; ///< by `first`

private:
  std::size_t blockOf(uint64_t address) const {
    return __builtin_expect(&Blocks.front() == &Blocks.back(), true) ? 0 : searchBlock(address);
  }
  std::size_t searchBlock(uint64_t address) const;
  void split(std::size_t at);
  void shrink(std::size_t at);
  std::size_t Size = 0;
};

template <class T> class AddressMap : public AddressMapBase {
public:
  struct Found {
    uint64_t address = 0;
    T *value = nullptr; ///< null: none
    explicit operator bool() const { return value != nullptr; }
  };

  /// The last one at the address or below.
  Found floor(uint64_t address) const { return found(AddressMapBase::floor(address)); }
  /// The first one above the address.
  Found above(uint64_t address) const { return found(AddressMapBase::above(address)); }
  T *find(uint64_t address) const {
    Found at = floor(address);
    return at.address == address ? at.value : nullptr;
  }
  void set(uint64_t address, T *value) { AddressMapBase::set(address, value); }
  T *take(uint64_t address) { return static_cast<T *>(AddressMapBase::take(address)); }
  /// In their order; `visit` changes nothing of the map.
  template <class Visit> void each(Visit visit) const {
    for (const Block &block : Blocks)
      for (uint32_t i = 0; i < block.count; ++i)
        visit(*static_cast<T *>(block.entries[i].value));
  }

private:
  static Found found(const Entry *entry) {
    return entry ? Found{entry->address, static_cast<T *>(entry->value)} : Found();
  }
};

} // namespace gpuinstr

#endif
