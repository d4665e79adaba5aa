// From tallies to grades: what is proven, what is likely, and what is nothing to be told.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/Judgements.h"
#include <algorithm>

namespace gpuinstr::audit {

TransferDirection directionOf(const Key &key) {
  if (key.work == DeviceWorkKind::Set)
    return TransferDirection::Set;
  switch (key.direction) {
  case CopyDirection::HostToDevice:
    return TransferDirection::HostToDevice;
  case CopyDirection::DeviceToHost:
    return TransferDirection::DeviceToHost;
  case CopyDirection::DeviceToDevice:
    return TransferDirection::DeviceToDevice;
  default:
    return TransferDirection::Unknown;
  }
}

Tally quietOf(const Tally &tally) {
  Tally quiet = tally;
  quiet.repeats -= tally.interfered;
  quiet.ticks = tally.ticks / tally.repeats * quiet.repeats;
  quiet.interfered = quiet.hostChecked = quiet.hostUnchanged = 0;
  quiet.checked = quiet.unchanged = tally.quiet;
  return quiet;
}

bool mayBeProven(const Key &key) {
  return !key.hostCanTouch &&
         (key.range ? !key.range->opaque && !key.range->unordered : !key.unordered);
}

uint64_t shownRepeats(const Key &key, Pattern pattern, const Tally &tally) {
  if (pattern == Pattern::Roundtrip || key.direction == CopyDirection::DeviceToHost)
    return tally.unchanged;
  uint64_t unseen = tally.unseen + (key.occurrences - key.seenOccurrence);
  return std::max(tally.unchanged, tally.repeats - std::min(tally.repeats, unseen));
}

uint64_t toldRepeats(const Key &key, Pattern pattern, const Tally &tally) {
  if (pattern != Pattern::NoopCopy || !key.looks)
    return tally.repeats;
  return std::max(tally.unchanged + tally.hostUnchanged,
                  tally.repeats - std::min(tally.repeats, key.looks->unseen()));
}

bool mayBeReset(const Key &key) {
  return key.direction == CopyDirection::HostToDevice && !key.hasRoundNews;
}

bool isResult(const Key &key, const Tally &tally) {
  constexpr uint64_t Least = 65536;
  return key.isOfPool && key.direction == CopyDirection::DeviceToHost && key.id.bytes < Least &&
         tally.interfered != 0;
}

Tally withoutGuesses(const Key &key) {
  Tally tally = key.same;
  bool isToldElsewhere = key.isPiece && key.elsewhere.repeats;
  if (key.guess != Guess::None && (key.guess != Guess::Confirmed || isToldElsewhere))
    tally.hostChecked = tally.hostUnchanged = 0;
  return tally;
}

bool judge(const Tally &tally, bool mayBeProven, Grade &grade) {
  uint64_t same = tally.unchanged + tally.hostUnchanged;
  if (tally.repeats < LeastRepeats || same < LeastRepeats)
    return false;
  if (same != tally.checked + tally.hostChecked)
    grade = Grade::Advice;
  else
    grade = mayBeProven && tally.interfered == 0 && tally.unchanged >= LeastRepeats ? Grade::Proven
                                                                                    : Grade::Likely;
  return true;
}

bool isMostlyQuiet(const Key &key) {
  const Tally &same = key.same;
  return !key.mayRace && same.quiet >= LeastRepeats && 2 * same.interfered < same.repeats;
}

bool isJudged(const Key &key) {
  Tally same = withoutGuesses(key);
  uint64_t repeats = same.repeats + key.round.repeats;
  uint64_t looks = same.checked + same.hostChecked + key.round.checked + key.round.hostChecked;
  uint64_t equal =
      same.unchanged + same.hostUnchanged + key.round.unchanged + key.round.hostUnchanged;
  const uint64_t enough = std::min(LeastRepeats, repeats);
  return key.isOntoItself || looks > equal || looks >= enough || key.settledLooks >= enough;
}

bool judgeOnce(const Tally &tally, uint64_t bytes, bool full, bool mayBeProven, Grade &grade) {
  const uint64_t leastBytes = full ? LeastBuffer : 65536;
  uint64_t same = tally.unchanged + tally.hostUnchanged;
  if (bytes < leastBytes || same == 0 || same != tally.repeats ||
      same != tally.checked + tally.hostChecked)
    return false;
  bool confirmed = tally.unchanged == tally.repeats && tally.interfered == 0;
  grade = mayBeProven && confirmed ? Grade::Proven : Grade::Likely;
  return true;
}

} // namespace gpuinstr::audit
