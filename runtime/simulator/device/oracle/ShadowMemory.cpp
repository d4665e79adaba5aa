// Who wrote each byte of memory last, and whether anybody has read it since.
// SPDX-License-Identifier: Apache-2.0
#include "device/oracle/ShadowMemory.h"

#include <iterator>

namespace gpuinstr::sim {

ShadowMemory::Writer ShadowMemory::begin() {
  Fates.emplace_back();
  return static_cast<Writer>(Fates.size() - 1);
}

/// No piece spans \p at afterwards.
void ShadowMemory::split(uint64_t at) {
  auto next = Pieces.lower_bound(at);
  if (next == Pieces.begin())
    return;
  auto &[from, piece] = *std::prev(next);
  if (piece.to <= at)
    return;
  Pieces.emplace_hint(next, at, piece);
  piece.to = at;
}

void ShadowMemory::drop(uint64_t from, uint64_t to) {
  split(from);
  split(to);
  auto it = Pieces.lower_bound(from);
  while (it != Pieces.end() && it->first < to) {
    Fates[it->second.writer].left -= it->second.to - it->first;
    it = Pieces.erase(it);
  }
}

void ShadowMemory::write(uint64_t from, uint64_t to, Writer writer) {
  drop(from, to);
  if (from >= to)
    return;
  Pieces[from] = {to, writer};
  Fates[writer].written += to - from;
  Fates[writer].left += to - from;
}

void ShadowMemory::read(uint64_t from, uint64_t to) {
  auto it = Pieces.upper_bound(from);
  if (it != Pieces.begin() && std::prev(it)->second.to > from)
    --it;
  for (; it != Pieces.end() && it->first < to; ++it)
    Fates[it->second.writer].isRead = true;
}

bool ShadowMemory::isWritten(uint64_t from, uint64_t to) const {
  auto it = Pieces.upper_bound(from);
  if (it != Pieces.begin())
    --it;
  for (; it != Pieces.end() && it->first <= from && from < to; ++it)
    from = it->second.to > from ? it->second.to : from;
  return from >= to;
}

bool ShadowMemory::isDead(Writer writer) const {
  const Fate &fate = Fates[writer];
  return writer && fate.written && !fate.left && !fate.isRead;
}

bool ShadowMemory::isUnread(Writer writer) const {
  const Fate &fate = Fates[writer];
  return writer && fate.left && !fate.isRead;
}

} // namespace gpuinstr::sim
