// What is known of handles that come and go.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_HANDLETABLE_H
#define GPUINSTR_LEDGER_HANDLETABLE_H

#include <cstddef>
#include <iterator>
#include <unordered_map>

namespace gpuinstr {

/// Values by handle. A driver gives the handles of what was destroyed again: an erased entry keeps
/// its place, so that a program that makes and destroys allocates nothing here. Callers lock.
template <class Key, class Value, class Hash = std::hash<Key>> class HandleTable {
public:
  std::size_t size() const { return Live; }
  bool empty() const { return Live == 0; }
  /// Those of erased entries as well.
  std::size_t places() const { return Entries.size(); }
  /// Null: there is none.
  Value *find(const Key &key) {
    auto found = Entries.find(key);
    return found != Entries.end() && found->second.isLive ? &found->second.value : nullptr;
  }
  const Value *find(const Key &key) const { return const_cast<HandleTable *>(this)->find(key); }
  /// As new where there was none.
  Value &at(const Key &key) {
    Entry &entry = Entries[key];
    Live += !entry.isLive;
    entry.isLive = true;
    return entry.value;
  }
  void erase(const Key &key) {
    auto found = Entries.find(key);
    if (found == Entries.end() || !found->second.isLive)
      return;
    end(found->second);
    sweep();
  }
  /// visit(key, value)
  template <class Visit> void each(Visit visit) {
    for (auto &[key, entry] : Entries)
      if (entry.isLive)
        visit(key, entry.value);
  }
  template <class Which> void eraseIf(Which which) {
    for (auto &[key, entry] : Entries)
      if (entry.isLive && which(key, entry.value))
        end(entry);
    sweep();
  }
  void clear() {
    Entries.clear();
    Live = 0;
  }

private:
  struct Entry {
    Value value{};
    bool isLive = false;
  };
  void end(Entry &entry) {
    entry = Entry();
    --Live;
  }
  /// Places that are not used again must not grow without end.
  void sweep() {
    constexpr std::size_t Kept = 64;
    if (Entries.size() - Live <= Live + Kept)
      return;
    for (auto i = Entries.begin(); i != Entries.end();)
      i = i->second.isLive ? std::next(i) : Entries.erase(i);
  }

  std::unordered_map<Key, Entry, Hash> Entries;
  std::size_t Live = 0;
};

} // namespace gpuinstr

#endif
