// Entries of tables whose keys come and go, kept so that the next one allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SPAREENTRIES_H
#define GPUINSTR_BASE_SPAREENTRIES_H

#include <utility>

namespace gpuinstr {

/// For one or several std::unordered_map of a type, such as graphs by handle: a driver destroys
/// them and makes the next ones. Whoever locks the table locks this.
template <class Map> class SpareEntries {
public:
  using Key = typename Map::key_type;
  using Value = typename Map::mapped_type;

  /// The key's entry, as good as new where there was none.
  Value &at(Map &map, const Key &key) {
    auto found = map.find(key);
    if (found != map.end())
      return found->second;
    if (!Number)
      return map[key];
    auto entry = std::move(Spare[--Number]);
    entry.key() = key;
    return map.insert(std::move(entry)).position->second;
  }
  void erase(Map &map, typename Map::iterator at) {
    if (Number == Most) {
      map.erase(at);
      return;
    }
    Spare[Number] = map.extract(at);
    Spare[Number++].mapped() = Value();
  }
  void erase(Map &map, const Key &key) {
    auto found = map.find(key);
    if (found != map.end())
      erase(map, found);
  }

private:
  static constexpr unsigned Most = 4;
  typename Map::node_type Spare[Most];
  unsigned Number = 0;
};

} // namespace gpuinstr

#endif
