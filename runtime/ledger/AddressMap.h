// Pointers by address, in order: what is looked up at each allocation and free.
// SPDX-License-Identifier: Apache-2.0
//
// A sorted list of sorted blocks, the first of them beside the map itself. Where little is in it,
// all of it lies in two cache lines, and an insertion after an erasure allocates nothing. The code
// is one for all that use it.
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
  struct alignas(64) Entries {
    Entry all[Capacity];
  };
  struct Block {
    uint64_t first = 0;         ///< its first entry's address
    Entries *entries = nullptr; ///< null only where nothing was ever put in
    uint32_t count = 0;         ///< 0 only while it is the only one
    Entry &operator[](std::size_t i) const { return entries->all[i]; }
  };
  Block First;
  std::vector<Block> Rest; ///< by `first`

private:
  std::size_t numBlocks() const { return 1 + Rest.size(); }
  Block &block(std::size_t i) { return __builtin_expect(i == 0, true) ? First : Rest[i - 1]; }
  const Block &block(std::size_t i) const { return const_cast<AddressMapBase *>(this)->block(i); }
  std::size_t blockOf(uint64_t address) const {
    return __builtin_expect(Rest.empty(), true) ? 0 : searchBlock(address);
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
    eachIn(First, visit);
    for (const Block &block : Rest)
      eachIn(block, visit);
  }

private:
  template <class Visit> static void eachIn(const Block &block, Visit &visit) {
    for (uint32_t i = 0; i < block.count; ++i)
      visit(*static_cast<T *>(block[i].value));
  }

  static Found found(const Entry *entry) {
    return entry ? Found{entry->address, static_cast<T *>(entry->value)} : Found();
  }
};

} // namespace gpuinstr

#endif
