// The transfers whose device side lies in an allocation, found by place.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/KeyPlaces.h"
#include <algorithm>

namespace gpuinstr::audit {

size_t KeyIndex::firstFrom(const std::vector<KeyPlace> &places, uint64_t lo) {
  auto isBefore = [](const KeyPlace &place, uint64_t at) { return place.lo < at; };
  return size_t(std::lower_bound(places.begin(), places.end(), lo, isBefore) - places.begin());
}

void KeyIndex::reserve(const KeyPlace &place) {
  std::vector<KeyPlace> &places = BySize[sizeOf(place)];
  if (places.size() == places.capacity())
    places.reserve(2 * places.size() + 2);
}

void KeyIndex::add(const KeyPlace &place) {
  std::vector<KeyPlace> &places = BySize[sizeOf(place)];
  auto isBehind = [](uint64_t at, const KeyPlace &other) { return at < other.lo; };
  places.insert(std::upper_bound(places.begin(), places.end(), place.lo, isBehind), place);
  Sizes |= uint64_t(1) << sizeOf(place);
}

} // namespace gpuinstr::audit
