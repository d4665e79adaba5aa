// What is known of each transfer: by site, destination and size, and its tallies of no-ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_TRANSFERHISTORY_H
#define GPUINSTR_AUDIT_STATE_TRANSFERHISTORY_H

#include "audit/engine/DeviceHasher.h"
#include "audit/ordering/Ranges.h"
#include "audit/state/SourceSample.h"
#include <atomic>
#include <memory>
#include <utility>

namespace gpuinstr::audit {

using cuda::CopyDirection;
using cuda::DeviceWorkKind;

/// Why a repeat was not compared.
enum class SkipReason : uint8_t { Budget, Busy, Capture, Full, NoEngine, NotLinear, Count };

/// Repeats of one kind at one key. Repeats that were void (a kernel between them did not run, as on
/// the simulated device) are in none of the figures.
struct Tally {
  // What each repeat adds to comes first.
  uint64_t repeats = 0;
  uint64_t interfered = 0; ///< something may have written in between
  uint64_t ticks = 0;      ///< of all repeats' calls
  uint64_t checked = 0;    ///< bytes compared
  uint64_t unchanged = 0;  ///< ... and found the same
  /// The host's witness, of repeats that the device was not asked about: what it sent was looked
  /// at, and was what it had sent the time before, while nothing is known to have written it.
  uint64_t hostChecked = 0, hostUnchanged = 0;
  /// Repeats that no look stands for: between two that do not fit together, or before the first.
  /// What they sent, nobody saw.
  uint64_t unseen = 0;
  SiteIndex related = 0;
  uint32_t inTurn = 0; ///< Key::elsewhere: other bytes had replaced them where they were
  /// Of Key::same, repeats before which nothing may have written: so many were compared and found
  /// the same, and so many are those with what lies between two of them.
  uint64_t quiet = 0, quietShown = 0;

  void add(const Tally &o) {
    repeats += o.repeats;
    checked += o.checked;
    unchanged += o.unchanged;
    interfered += o.interfered;
    hostChecked += o.hostChecked;
    hostUnchanged += o.hostUnchanged;
    unseen += o.unseen;
    ticks += o.ticks;
    inTurn += o.inTurn;
    quiet += o.quiet;
    quietShown += o.quietShown;
    related = related ? related : o.related;
  }
};

/// Where the record of a finding lies that comes again and again; see WasteFindings.
struct RecordPlace {
  uint32_t index = 0;
  uint32_t epoch = 0; ///< none
};

/// Copies and sets, whether they repeat anything or not.
struct Moved {
  uint64_t count = 0, bytes = 0, ticks = 0;
  void add(uint64_t times, uint64_t each, uint64_t time) {
    count += times;
    bytes += times * each;
    ticks += time;
  }
};

struct KeyId {
  SiteIndex site = 0;
  uint64_t dst = 0, src = 0; ///< src only where the device is the source
  uint64_t bytes = 0, serial = 0;
  uint64_t shape = 0; ///< width and pitches, mixed
  bool operator==(const KeyId &o) const {
    return site == o.site && dst == o.dst && src == o.src && bytes == o.bytes &&
           serial == o.serial && shape == o.shape;
  }
};

/// How many occurrences of a key need no look at the bytes before one that does. Never freed, only
/// reused: paths read it without the lock.
using Countdown = std::atomic<uint32_t>;
Countdown &takeCountdown(); ///< 0; both with the lock held
void giveCountdown(Countdown &countdown);

/// Looks that were due, by where the host's side of the transfer lay. From where all were refused,
/// since kernels may wait, other bytes may come each time: they are none of the repeats. For the
/// first few places; more are one crowd, of which the looks are a sample.
class LooksByPlace {
public:
  void note(uint64_t address, bool looked, uint64_t occurrence) {
    const uint64_t since = occurrence - std::exchange(Last, occurrence);
    for (Place &place : Places)
      if (place.address == address || !place.address) {
        place.address = address;
        place.looks += looked;
        place.refused += looked ? 0 : since;
        return;
      }
  }
  /// Repeats that no look stands for.
  uint64_t unseen() const {
    uint64_t sum = 0;
    for (const Place &place : Places)
      sum += place.looks ? 0 : place.refused;
    return sum;
  }

private:
  struct Place {
    uint64_t address = 0, looks = 0, refused = 0;
  };
  Place Places[4];
  uint64_t Last = 0;
};

/// Pinned memory is read when the stream gets there: what it held in the leave of the call is a
/// guess at what was sent, until the device is seen to hold it.
enum class Guess : uint8_t { None, Open, Asked, Confirmed, Wrong };

struct alignas(64) Key {
  Key() : left(takeCountdown()) {}
  Key(const Key &) = delete;
  ~Key() { giveCountdown(left); }

  // What each repeat needs, in three lines.
  Countdown &left;                     ///< always 0 with audit=full
  const StreamState *stream = nullptr; ///< of the last occurrence
  uint64_t settledAt = 0;              ///< Streams::Puts in its leave
  uint64_t occurrences = 0;
  uint64_t copyWrites = 0; ///< by copies and sets of other keys
  uint64_t copyReads = 0;  ///< by copies
  uint64_t version = 0;    ///< version() at the last occurrence
  uint64_t copyWritesThen = 0;

  uint64_t hostAddress = 0;              ///< of the other side, where that is the host
  uint64_t readsThen = 0, ticksThen = 0; ///< dead-copy
  uint64_t notRun = 0;                   ///< kernelsNotRun() at the last occurrence
  uint64_t contentVersion = 0;
  Tally same; ///< noop-copy

  SiteIndex caller = 0;
  uint16_t operation = 0;                     ///< gpuinstr_op
  DeviceWorkKind work = DeviceWorkKind::Copy; ///< or Set
  CopyDirection direction = CopyDirection::Unknown;
  bool isOntoItself = false;    ///< from where it goes to
  bool comesFromOthers = false; ///< not always from the same address, which `from` was last
  /// A piece of what an allocator hands out: which pieces live, is not seen.
  bool isPiece = false;
  /// Of a download that finds its bytes there: `related` is another line's download.
  bool isFetched = false;
  // dead-copy: written, and not read since.
  bool unread = false;
  /// Something that writes there went on beside an occurrence: before which it wrote, nobody knows.
  bool mayRace = false;
  bool hasRewrites = false; ///< `rewrites` was not 0 once
  bool hasSample = false;   ///< `sample` is there
  /// `content` is the hash of the region's bytes as they were at contentVersion.
  bool hasContent = false;
  /// Why the last look that was due was not taken: repeats before the next one go without for that.
  SkipReason refused = SkipReason::Budget;

  RecordPlace dead; ///< the finding of a dead copy, where the same site buried it
  SiteIndex deadCaller = 0;
  // ... and where they touch each other.
  Range *range = nullptr;  ///< of the device side; null once it is freed
  uint64_t lo = 0, hi = 0; ///< its span
  uint64_t from = 0;
  KeyId id;
  bool solid = false;                        ///< no gaps
  bool hostCanTouch = false, pooled = false; ///< of its allocation
  bool unordered = false;                    ///< of its range, once that is freed
  bool isOfPool = false;     ///< of a pool: which pieces are handed out, is not seen either
  bool isOfVariable = false; ///< of a Range::byAddress
  /// What settled pinned memory sent there is noted.
  bool notesSettled() const { return isPiece || isOfVariable; }
  bool isAnew = false;         ///< one that is gone had its site and size
  bool isSpared = false;       ///< ... and the budget refused its looks: see affordSpared()
  bool isUniform = false;      ///< all elements of what was sent last were equal, at the last look
  bool isFill = false;         ///< ... of whatever size, and a set would do it all
  bool hasLastContent = false; ///< ... and was seen right before the free
  bool lostContent = false;    ///< other bytes were seen there then
  bool hasHost = false; ///< `host` is the hash of what the host sent as occurrence hostOccurrence
  Guess guess = Guess::None;
  bool hasSent = false; ///< `sent` is in SentContents

  ContentHash content;
  /// What the region held after the last look, and the version then: another content at the next
  /// look, with nothing else having written, is the work of a repeat that nobody looked at.
  bool hasSeen = false;
  uint64_t seenVersion = 0;
  uint64_t seenOccurrence = 0; ///< ... and which it was; the first needs none
  uint64_t quietFrom = 0;      ///< the last that the device was asked about, nothing written since
  ContentHash seen;
  uint64_t hostOccurrence = 0;
  ContentHash host, sent;
  Key *twinOf = nullptr; ///< the key whose twin this is
  /// In a row, of looks that were due; behind more than so many they are asked for more seldom.
  uint32_t refusals = 0;
  static constexpr uint32_t Patient = 8;
  /// At a line that goes through ever new buffers fast, where the last one's were refused to its
  /// end.
  static constexpr uint32_t VeryPatient = Patient + 5;
  uint64_t refusedNs = 0; ///< monotonic, of the last by the budget
  bool isDense = false;   ///< it came right behind the one before
  bool isRefused = false; ///< the last look that was due, behind many others
  /// Of the host's, at pinned memory that was settled: what was sent is known, though not what the
  /// device holds.
  uint32_t settledLooks = 0;
  uint8_t firstLooks = 0; ///< given from the purse that first looks have
  uint32_t pending = 0;   ///< verifications on their way

  cuda::Region region; ///< the device side
  Tally round;         ///< roundtrip
  /// What looks at uploads in `round` saw: ever the same bytes may be a flag that the host resets
  /// and kernels could have set; other bytes than the time before came from the device.
  bool hasRoundSeen = false, hasRoundNews = false;
  ContentHash roundSeen;
  Tally again; ///< reupload; belongs to the site, kept here until the range is freed
  /// reupload: bytes that were sent before, by another line or to another buffer. By the host's
  /// witness; `interfered` are those whose former holder a kernel has written.
  Tally elsewhere;
  uint64_t elsewhereFreed = 0; ///< of those, a buffer that was freed had held: `related` freed it
  uint64_t elsewhereShown = 0; ///< of those, the device held both times: before that free, and here
  /// roundtrip by content, of pieces of pools: what a download gave to the host and this sends
  /// back, or what the host had sent and this brings back. By the host's witness.
  Tally back;
  uint64_t uploadNumber = 0; ///< ReturnedContents::noteUpload() of the last occurrence
  uint64_t hostWrites = 0;   ///< hostWritesOf() the last occurrence
  /// A download into memory of the host from where `sentBy` sends the bytes to other memory of the
  /// device; and the upload that does.
  bool isStaged = false, isStagedFrom = false;
  KeyId sentBy;
  /// Of all that its range holds; there is one.
  bool isWhole() const { return lo == range->base && hi == range->end(); }
  /// Its bytes may be what a download has just brought: by other memory than its own.
  bool mayComeBack() const { return isPiece || isAnew || isStagedFrom; }
  /// What the host found last where a download had gone that the device is not asked about.
  bool hasBrought = false;
  ContentHash brought;
  /// What the device had at the last look at a large download, and whether that was the same as at
  /// the one before: the host's side is dear, and not asked as long as other bytes come.
  bool hasAsked = false, asksHost = false;
  ContentHash asked;
  KernelUses users;                    ///< of its range, once that is freed
  uint64_t lastLookNs = 0;             ///< monotonic
  std::unique_ptr<LooksByPlace> looks; ///< from the first one that was refused on
  uint64_t lookedFrom = 0;             ///< hostAddress at the last one until then
  Moved apart;              ///< occurrences that are in no tally: the first one, void ones
  bool isFirstNoop = false; ///< its first copy changed nothing
  std::unique_ptr<SourceSample> sample; ///< of the occurrence that it names; null none
  uint8_t samples = 0;                  ///< taken so far
  /// Occurrences that kernels have rewritten unread, as far as their code tells. They count once
  /// two looks have shown it, and none something else: the same kernels may write less at times.
  uint32_t rewrites = 0;
  uint8_t rewriteLooks = 0;
  bool isPartly = false;
  bool isRewritten = false;  ///< the last one, as the one behind it finds
  SiteIndex rewrittenAt = 0; ///< by the kernels there
  uint64_t rewriteTicks = 0;
  bool countsRewrites() const { return rewriteLooks >= 2 && !isPartly; }
  uint64_t part = 0; ///< of an upload: partOf()

  // Once its range is freed: an answer may still be to come.
  SiteIndex freeSite = 0;
  uint64_t freedAt = 0; ///< then: memory with a higher serial was made later
  uint64_t contextThen = 0;
  uint64_t context() const { return range ? range->context : contextThen; }
  uint64_t endVersion = 0;
  bool wasSweep = false; ///< isRepeatedSweep(), then

  Key *twin = nullptr; ///< duplicate-buffer: held the same bytes when both had these versions
  uint64_t twinVersion = 0, ownTwinVersion = 0;
  bool twinAsked = false, twinKnown = false;
  uint64_t sourceKey = 0; ///< its place in Auditor::bySource
};

} // namespace gpuinstr::audit

#endif
