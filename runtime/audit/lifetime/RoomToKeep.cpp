// How much memory of a device was in use between a free and the upload of the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/RoomToKeep.h"
#include "base/Hash.h"
#include <algorithm>

namespace gpuinstr::audit {

static uint64_t numberOf(const Resent &bytes) { return hashMix(bytes.content, bytes.bytes); }

__attribute__((noinline)) RoomToKeep::Room &RoomToKeep::find(uint64_t context) {
  Last = &Rooms[context];
  LastContext = context;
  return *Last;
}

void RoomToKeep::noteLeft(uint64_t context, uint64_t bytes) {
  Room &room = roomOf(context);
  room.all = bytes ? room.live + bytes : 0;
}

/// The most that lived while the bytes would have had to stay: until the new buffer is made, whose
/// place they would have had from then on.
uint64_t RoomToKeep::Room::mostSince(const Resent &bytes) const {
  const bool isForNewOne = bytes.freedAt && bytes.madeAt > bytes.freedAt;
  uint64_t most = isForNewOne ? 0 : live;
  for (size_t i = 0; i < std::min(count, Marks); ++i) {
    const Mark &mark = marks[(count - 1 - i) % Marks];
    if (mark.serial <= bytes.freedAt)
      return most;
    if (isForNewOne && mark.serial == bytes.madeAt)
      most = std::max(most, mark.live - std::min(mark.live, bytes.bytesOfNewOne));
    else if (!isForNewOne || mark.serial < bytes.madeAt)
      most = std::max(most, mark.live);
  }
  return std::max(most, mostBefore);
}

bool RoomToKeep::has(const Resent &bytes) const {
  auto it = Rooms.find(bytes.context);
  if (it == Rooms.end() || !it->second.all)
    return true;
  const Room &room = it->second;
  const bool isNew = !room.contents.count(numberOf(bytes));
  if (isNew && room.contents.size() >= MostKept)
    return false;
  return room.mostSince(bytes) + room.kept + (isNew ? bytes.bytes : 0) <= room.all;
}

void RoomToKeep::keep(const Resent &bytes) {
  Room &room = roomOf(bytes.context);
  if (room.contents.size() < MostKept && room.contents.insert(numberOf(bytes)).second)
    room.kept += bytes.bytes;
}

void RoomToKeep::forget(uint64_t context) {
  Rooms.erase(context);
  Last = nullptr;
}

void RoomToKeep::clear() {
  Rooms.clear();
  Last = nullptr;
}

} // namespace gpuinstr::audit
