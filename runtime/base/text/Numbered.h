// Things that are known by a number: their place in a list.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_NUMBERED_H
#define GPUINSTR_BASE_TEXT_NUMBERED_H

#include <cstddef>

namespace gpuinstr {

/// The place of `key` in `items`; where it is new, `item` is appended. Where memory runs out,
/// neither `items` nor `numbers` has changed: a number without its thing would be the next one's.
template <class Items, class Numbers, class Key, class Item>
std::size_t placeOf(Items &items, Numbers &numbers, const Key &key, Item &&item) {
  auto known = numbers.find(key);
  if (known != numbers.end())
    return known->second;
  const std::size_t place = items.size();
  items.push_back(static_cast<Item &&>(item));
  try {
    numbers.emplace(key, typename Numbers::mapped_type(place));
  } catch (...) {
    items.pop_back();
    throw;
  }
  return place;
}

} // namespace gpuinstr

#endif
