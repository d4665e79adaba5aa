// Who wrote each byte of memory last, and whether anybody has read it since.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace gpuinstr::sim {

/// Kept in ranges. A write that lost all its bytes, by overwriting or free, with none of them read,
/// was dead.
class ShadowMemory {
public:
  /// A write that is judged; 0 is one that is not.
  using Writer = uint32_t;

  Writer begin();
  void write(uint64_t from, uint64_t to, Writer writer);
  void read(uint64_t from, uint64_t to);
  /// The bytes are gone: freed, or about to be overwritten.
  void drop(uint64_t from, uint64_t to);
  bool isDead(Writer writer) const;
  /// Not dead, since some of its bytes are still there, but nobody has read any.
  bool isUnread(Writer writer) const;
  /// Whether somebody has written all of these bytes.
  bool isWritten(uint64_t from, uint64_t to) const;

private:
  struct Piece {
    uint64_t to;
    Writer writer;
  };
  struct Fate {
    uint64_t written = 0, left = 0;
    bool isRead = false;
  };
  void split(uint64_t at);

  std::map<uint64_t, Piece> Pieces; ///< by their first byte; they do not overlap
  std::vector<Fate> Fates{1};
};

} // namespace gpuinstr::sim
