// From tallies to findings: what the report counts.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_WASTEFINDINGS_H
#define GPUINSTR_AUDIT_STATE_WASTEFINDINGS_H

#include "audit/state/TransferHistory.h"
#include "base/Part.h"
#include "findings/Findings.h"
#include "findings/OneFinding.h"
#include <algorithm>

namespace gpuinstr::audit {

struct alignas(64) Figures {
  uint64_t eligible = 0, eligibleBytes = 0; ///< repeats of keys
  Moved all; ///< copies and sets that went well, but those within the host's memory
  uint64_t skipped[unsigned(SkipReason::Count)] = {};
  uint64_t verified = 0, verifiedBytes = 0;
  Moved judged; ///< ... of keys of which so much was looked at that they are known
  // Transfers that cannot be repeats of anything: bytes that no address leads to.
  uint64_t arrays = 0, batches = 0, variables = 0;
  uint64_t places = 0; ///< ... that went to more places of an allocation than are kept
};

/// Of a copy or set that what is at `by` buried.
FindingKey deadCopyOf(const Key &key, SiteIndex by, Grade grade);

/// Programs that time kernels empty the device's cache before each one, by setting memory as large
/// as it that nothing else ever touches: what such a set is for, its bytes do not tell. By
/// CacheSweeps.cpp.
bool sweepsCache(const Key &key); ///< of a set
inline bool isCacheSweep(const Key &key) {
  return key.work == DeviceWorkKind::Set && sweepsCache(key);
}
inline bool isRepeatedSweep(const Key &key) { return key.occurrences > 1 && isCacheSweep(key); }
/// How large it is, before the first large set; without the lock.
void learnCache(const cuda::CallOperands &o);

/// Occurrences that are alike, directly behind each other.
struct Alike {
  uint64_t bytes = 0;            ///< of each
  uint64_t times = 1, ticks = 0; ///< of all
};

class WasteFindings {
public:
  Figures figures;
  LineTotals totals;

  /// Sums up a key; on the report's copy for keys that live on.
  void add(const Key &key);
  /// Two buffers that held the same bytes.
  void addTwin(const Key &key);
  void addUnread(const Key &key, const Ranges &ranges);
  /// Its bytes, which nobody has read, are gone by that site's call; 0: the program ended.
  /// `isFree`: the call there freed the memory.
  void addDead(const Key &key, SiteIndex by, bool isFree = false);
  /// What a look stands for, of those occurrences that kernels have rewritten.
  void addRewrites(const Key &key);
  /// ... at so many elements of a dead copy; 0: at all of them.
  void noteLook(const FindingKey &key, uint32_t elements);
  /// An allocation that ends: was it ever an operand?
  void addUnused(const Range &range, const Ranges &ranges);
  /// One more occurrence of a finding that needs no tally.
  void add(const FindingKey &key, uint64_t count, uint64_t bytes, uint64_t ticks);
  /// ... and its record's place; `addAt` is for the next one. False: it is not there any more.
  RecordPlace place() const { return {LastIndex, Epoch}; }
  enum class Often : uint8_t { Dead, InRow, Pageable };
  bool addAt(Often often, const RecordPlace &place, const Alike &alike) {
    if (place.epoch != Epoch)
      return false;
    ToAdd &more = Latest[unsigned(often)];
    if (__builtin_expect(!more.isOf(place, alike), false)) {
      put(more);
      more.index = place.index;
      more.bytes = alike.bytes;
    }
    more.count += uint32_t(alike.times);
    more.ticks += alike.ticks;
    return true;
  }
  /// alloc-churn: of allocations of different sizes.
  void noteLargest(const FindingKey &key, uint64_t bytes) {
    uint64_t &largest = record(key).largest;
    largest = largest < bytes ? bytes : largest;
  }
  /// small-copies: of the record that was looked up last, one more row begins.
  void noteRow(bool allocates, bool isMixed) {
    ++Records[LastIndex].rows;
    Records[LastIndex].allocates |= allocates;
    Records[LastIndex].isMixed |= isMixed;
  }
  void noteDirection(const FindingKey &key, TransferDirection direction) {
    record(key).direction = direction;
  }
  /// Once everything is added.
  void finish();
  /// uniform-upload: so many words were others; the most count.
  void noteUniform(const FindingKey &key, uint64_t others, unsigned wordBytes, bool isOfPlaces) {
    FindingRecord &r = record(key);
    r.others = std::max(r.others, others);
    r.wordBytes = std::max(r.wordBytes, wordBytes);
    r.isOfPlaces |= isOfPlaces;
  }
  std::vector<FindingRecord> records() const { return Records; } ///< behind finish()
  void clear();

private:
  FindingRecord &record(const FindingKey &key);
  /// What addAt() was told of one record, and is not in it yet: that would be some more cache lines
  /// each time.
  struct ToAdd {
    uint64_t bytes = 0, ticks = 0; ///< bytes of each
    uint32_t count = 0, index = 0;
    bool isOf(const RecordPlace &place, const Alike &alike) const {
      return index == place.index && bytes == alike.bytes && count < UINT32_MAX - alike.times;
    }
  };
  void put(ToAdd &more);
  void addTo(FindingRecord &r, uint64_t count, uint64_t bytes, uint64_t ticks);
  void addTally(const Key &key, Pattern pattern, const Tally &tally, bool mayBeProven);
  struct Again {
    SiteIndex site, caller;
    uint64_t bytes;
    bool pooled;
    bool byHost;           ///< found by the bytes that were sent, not by the device's
    bool isStaged, isAnew; ///< of a round trip: to other memory; to memory that the line makes anew
    Pattern pattern;
    TransferDirection direction;
    Tally tally;
    uint64_t fills = 0;      ///< repeats of equal elements
    uint64_t freed = 0;      ///< ... whose bytes a buffer had held that was freed
    uint64_t confirmed = 0;  ///< unchanged, and the buffer before was looked at when it went
    uint64_t lastLookNs = 0; ///< monotonic
    KernelUses kernels;
    /// Where their bytes were before, and of how many repeats.
    std::vector<std::pair<SiteIndex, uint64_t>> before;
    SiteIndex mostBefore() const {
      auto isLess = [](const auto &a, const auto &b) { return a.second < b.second; };
      auto most = std::max_element(before.begin(), before.end(), isLess);
      return most == before.end() ? 0 : most->first;
    }
    bool isInTurn() const { return byHost && 2 * tally.inTurn > tally.repeats; }
    bool isFill() const { return 2 * fills > tally.repeats; }
    bool isByFree() const { return !byHost || 2 * freed > tally.repeats; }
    /// What came back to where others had been, as several buffers would keep it: by default only
    /// what is worth them. Parameters and flags never are.
    bool isWorthBuffers(bool full) const {
      return tally.hostUnchanged >= (full ? 1 : 3) && bytes >= (full ? 256 : 65536);
    }
  };
  void addQuiet(const Key &key, FindingKey finding, const Tally &tally);
  void addRecord(const Key &key, const FindingKey &finding, const Tally &tally, uint64_t count);
  void addTo(FindingRecord &r, const Key &key, const Tally &tally, uint64_t count);
  void addOnce(const Key &key, const Tally &tally, bool proven);
  void addFirst(const Key &key);
  void addAgain(const Key &key, const Tally &tally, bool byHost,
                Pattern pattern = Pattern::Reupload);
  bool isCounted(const Again &again, Grade &grade) const;
  /// Allocations of one line and size that nobody used, but for the first: whether code that is not
  /// seen may have used them is asked for many at once.
  struct alignas(64) Unused {
    SiteIndex site = 0, caller = 0, passedAt = 0;
    uint16_t resource = 0; ///< 0: none
    bool isMoot = false;   ///< code that is not seen may have used the first, and so the others
    uint64_t bytes = 0;    ///< of each
    uint64_t count = 0, ticks = 0;
    uint64_t librariesGone = 0; ///< when the first was freed
    bool isOf(const Range &range) const;
    FindingKey key() const;
  };
  static constexpr unsigned UnusedKept = 4;
  static constexpr uint64_t MostUnused = 64;
  void startUnused(Unused &unused, const Range &range);
  void settle(Unused &unused);
  alignas(64) uint32_t Epoch = 1; ///< beside what is used with it
  ToAdd Latest[3];                ///< by Often
  std::vector<FindingRecord> Records;
  std::vector<Again> Uploads;
  QuickRepeats Quick;
  Unused UnusedOf[UnusedKept]; ///< by site
  uint32_t LastIndex = 0;      ///< of the last record that was looked up
};

/// Counts its transfers where it is.
void addJudged(Figures &figures, const Key &key);

/// Findings of the run so far, those of live allocations included. Where a signal ended the
/// process, what was never used might have been used later; only at its exit nobody will read what
/// nobody has.
std::vector<FindingRecord> wasteFound(Ending ending);
Figures auditFigures();
/// "off", "sampled", "full"; "" when the auditor saw no call.
profile::AuditDepth auditMode();
/// Forgets what was found, not what is known of the allocations.
void forgetWaste();
std::vector<std::string> auditNotes();

} // namespace gpuinstr::audit

#endif
