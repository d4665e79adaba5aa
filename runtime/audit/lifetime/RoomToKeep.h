// Whether a device had room for buffers that were freed: who frees one to make room for others has
// to send its bytes again.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_LIFETIME_ROOMTOKEEP_H
#define GPUINSTR_AUDIT_LIFETIME_ROOMTOKEEP_H

#include "base/HotCode.h"
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace gpuinstr::audit {

/// Bytes that a device held once and gets again. Times are serials of allocations.
struct Resent {
  uint64_t context = 0, content = 0, bytes = 0;
  uint64_t freedAt = 0; ///< ... what held them; 0: they were overwritten, some time
  uint64_t madeAt = 0, bytesOfNewOne = 0; ///< the buffer that gets them
};

/// By context. All with the auditor's lock held.
class RoomToKeep {
public:
  void made(uint64_t context, uint64_t serial, uint64_t bytes);
  void freed(uint64_t context, uint64_t bytes);
  /// The device has so much left for the context now.
  void noteLeft(uint64_t context, uint64_t bytes);
  /// So many bytes that there may not be room for them twice.
  bool isMuch(uint64_t context, uint64_t bytes) {
    const uint64_t all = roomOf(context).all;
    return all != 0 && bytes > all / 16;
  }
  /// Whether these bytes could have stayed, beside all that lived meanwhile and what is kept
  /// already. True where nobody knows how much memory there is.
  bool has(const Resent &bytes) const;
  /// It is said that they could have stayed.
  void keep(const Resent &bytes);
  void forget(uint64_t context);
  void clear();

private:
  /// So many of the last allocations are known one by one.
  static constexpr size_t Marks = 1024, MostKept = 65536;
  struct Mark {
    uint64_t serial = 0, live = 0;
  };
  struct Room {
    // What allocations and frees look at, and one of the marks.
    uint64_t live = 0; ///< bytes
    size_t count = 0;
    uint64_t mostBefore = 0; ///< of those that are not known any more
    uint64_t all = 0;        ///< that there are for the context; 0: unknown
    uint64_t kept = 0;
    std::unordered_set<uint64_t> contents; ///< that are kept
    Mark marks[Marks];
    uint64_t mostSince(const Resent &bytes) const;
  };
  Room &roomOf(uint64_t context) {
    return LIKELY(Last && LastContext == context) ? *Last : find(context);
  }
  Room &find(uint64_t context);

  std::unordered_map<uint64_t, Room> Rooms;
  Room *Last = nullptr;
  uint64_t LastContext = 0;
};

inline void RoomToKeep::made(uint64_t context, uint64_t serial, uint64_t bytes) {
  Room &room = roomOf(context);
  room.live += bytes;
  Mark &mark = room.marks[room.count++ % Marks];
  if (UNLIKELY(mark.live > room.mostBefore))
    room.mostBefore = mark.live;
  mark = {serial, room.live};
}

inline void RoomToKeep::freed(uint64_t context, uint64_t bytes) { roomOf(context).live -= bytes; }

} // namespace gpuinstr::audit

#endif
