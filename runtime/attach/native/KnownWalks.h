// Walks along the stack that a thread has made before.
// SPDX-License-Identifier: Apache-2.0
//
// A walk is decided by where it begins and by the words of the stack that it reads. One that begins
// where a former one did, and finds the same words in the same places, ends where that one ended:
// so much is compared, and nothing of the tables of addresses is touched.
#ifndef GPUINSTR_ATTACH_NATIVE_KNOWNWALKS_H
#define GPUINSTR_ATTACH_NATIVE_KNOWNWALKS_H

#include "attach/native/Native.h"
#include "attach/source/KeptTable.h"
#include "attach/source/PlaceKey.h"
#include "base/system/ThreadStack.h"
#include <cstddef>

namespace gpuinstr::attach {

/// The words that a walk reads, in its order.
class WalkNotes {
public:
  static constexpr unsigned Most = 24;

  uint64_t operator()(uint64_t place, StackWord why) {
    uint64_t word = StackPosition::wordAt(place);
    if (Count == Most) {
      TooMany = true;
      return word;
    }
    if (why == StackWord::Base)
      Base = int(Count);
    Words[Count++] = {place, word, why != StackWord::Base};
    return word;
  }
  /// The next step goes by rbp. What else was found in it is the function's own affair.
  void needBase() {
    if (Base < 0)
      NeedsFirstBase = true;
    else
      Words[Base].needed = true;
  }
  /// The place of the last word.
  uint64_t last() const { return Count ? Words[Count - 1].place : 0; }

private:
  friend struct KnownWalk;
  struct Word {
    uint64_t place, word;
    bool needed;
  };
  unsigned Count = 0;
  int Base = -1; ///< the word that rbp was read from, -1: it is that of the beginning
  bool NeedsFirstBase = false, TooMany = false;
  Word Words[Most];
};

/// What is compared lies in as few lines of the processor's caches as it takes: the first has all
/// but the words of the stack, of which each further one holds some.
struct alignas(64) KnownWalk {
  uint64_t at = 0, stack = 0, base = 0; ///< where it began
  const void *call = nullptr;
  KeptSites sites;
  uint32_t unloads = 0; ///< the count's lower half
  WalkFor wanted = WalkFor::Pool;
  uint8_t count = 0;
  bool needsBase = false;

  struct alignas(64) Part {
    static constexpr unsigned Most = 6;
    uint64_t words[Most];
    uint16_t offsets[Most]; ///< from `stack`, in words
  };
  static_assert(sizeof(Part) == 64, "one cache line");
  Part parts[WalkNotes::Most / Part::Most];
  Places places;

  /// The same thread's, on the same stack: what is read lies where the former walk read.
  bool isAgain(const StackPosition &from) const {
    if (stack != from.stack || at != from.at || (needsBase && base != from.base))
      return false;
    const Part *part = parts;
    for (unsigned left = count; left; ++part) {
      const unsigned here = left < Part::Most ? left : Part::Most;
      for (unsigned i = 0; i < here; ++i)
        if (StackPosition::wordAt(stack + uint64_t(8) * part->offsets[i]) != part->words[i])
          return false;
      left -= here;
    }
    return true;
  }

  /// False: it is too long to be kept.
  bool keep(const StackPosition &from, const WalkNotes &notes) {
    constexpr uint64_t Furthest = uint64_t(8) * UINT16_MAX;
    stack = 0;
    if (notes.TooMany || (notes.Count && notes.last() - from.stack > Furthest))
      return false;
    count = 0;
    for (unsigned i = 0; i < notes.Count; ++i)
      if (notes.Words[i].needed) {
        Part &part = parts[count / Part::Most];
        part.offsets[count % Part::Most] = uint16_t((notes.Words[i].place - from.stack) / 8);
        part.words[count++ % Part::Most] = notes.Words[i].word;
      }
    at = from.at;
    stack = from.stack;
    base = from.base;
    needsBase = notes.NeedsFirstBase;
    sites = {};
    return true;
  }
};
static_assert(WalkNotes::Most % KnownWalk::Part::Most == 0, "whole parts");
static_assert(offsetof(KnownWalk, parts) == 64, "one cache line before them");

/// A thread's. Zeros are an empty one, but for where the entries lie.
class KnownWalks {
public:
  static constexpr unsigned Bits = 9, HintBits = 9;
  using Table = KeptTable<KnownWalk, Bits>;

  void lieAt(KnownWalk *entries) { All.lieAt(entries); }
  /// `high`: the end of the stack. Where the word that names the place stood last time for such a
  /// call from this depth tells walks apart that begin there.
  KnownWalk &at(const StackPosition &from, const void *call, uint64_t high) {
    uint64_t which = beginning(from, call);
    uint64_t place = from.stack + uint64_t(8) * Hints[which >> (64 - HintBits)];
    uint64_t word = place + 8 <= high ? StackPosition::wordAt(place) : 0;
    return All.at(scatter(which ^ word << 20 ^ word >> 7));
  }
  void placeStood(const StackPosition &from, const void *call, uint64_t place) {
    uint64_t offset = (place - from.stack) / 8;
    if (offset <= UINT16_MAX)
      Hints[beginning(from, call) >> (64 - HintBits)] = uint16_t(offset);
  }

private:
  static uint64_t beginning(const StackPosition &from, const void *call) {
    return scatter(reinterpret_cast<uint64_t>(call) << 20 ^ from.stack);
  }

  Table All;
  uint16_t Hints[1 << HintBits];
};

/// What a thread knows of its native stack.
struct NativeThread {
  ThreadStack stack; ///< nothing outside is read
  KnownWalks known;
};

} // namespace gpuinstr::attach

#endif
