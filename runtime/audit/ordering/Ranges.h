// Tags and versions: what may have read or written each live allocation since when.
// SPDX-License-Identifier: Apache-2.0
//
// A version only says "nobody may have written this in between"; what the bytes are, a hash alone
// can say. Launches count without a lock; everything else happens under the auditor's.
#ifndef GPUINSTR_AUDIT_ORDERING_RANGES_H
#define GPUINSTR_AUDIT_ORDERING_RANGES_H

#include "audit/ordering/AddressScan.h"
#include "audit/ordering/KeyPlaces.h"
#include "audit/ordering/RangeUsage.h"
#include "audit/ordering/RangeUsers.h"
#include "audit/ordering/RangeWrites.h"
#include "audit/ordering/Streams.h"
#include "calls/sites/Sites.h"
#include "ledger/AddressMap.h"
#include "profile/Histogram.h"
#include <algorithm>
#include <deque>
#include <map>
#include <memory>

namespace gpuinstr::audit {

struct Churn;

/// A live allocation of linear memory. Never freed, only reused: launches hold pointers.
struct alignas(64) Range {
  // What launches look at, and half of what copies do: one line, to the second word of `users`.
  /// LaunchStamp of the last launch that may have: also what tells two versions apart, as no two
  /// launches have the same number.
  std::atomic<uint64_t> writer{0}, reader{0};
  std::atomic<bool> used{false};     ///< an operand of anything
  std::atomic<bool> escaped{false};  ///< its address lies in memory that kernels may read
  std::atomic<bool> global{false};   ///< ... in a variable, that any kernel may read
  std::atomic<bool> kept{false};     ///< ... where a kernel has put it, as its code shows
  std::atomic<bool> exported{false}; ///< the program asked for its address: anybody may have it
  std::atomic<bool> written{false};  ///< by a kernel whose code, or work, shows that it writes it
  std::atomic<RangeUse> use{RangeUse::Written};
  /// No linear memory that we saw being made: an array, a variable whose place is not known,
  /// another's memory. It cannot be hashed, and any kernel may write it.
  bool opaque = false;
  /// A free of it is in progress. Written and read with Auditor::placing held, where there are
  /// several threads: then no hash goes in that nobody's call stands for.
  bool beingFreed = false;
  /// Two copies or sets went to the same bytes of it, and nothing orders them: what either found
  /// there, and what the next one finds, is not known.
  bool unordered = false;
  /// Nothing but what the host sent, or a set, has touched it.
  std::atomic<bool> unused{true};
  bool variable = false;   ///< a __device__ or __constant__ one
  bool constant = false;   ///< the latter: written by copies alone, unless `exported`
  bool unreadable = false; ///< host memory that must not be read: write-combined, I/O memory
  bool filled = false;     ///< the host's, and a copy has brought bytes there
  uint8_t resource = 0;    ///< a gpuinstr_resource
  // Written under the lock; launches read them without it.
  profile::Relaxed<uint64_t> base, bytes;
  RangeUsers users;
  /// LaunchStamp of the last launch that only writes it, but maybe where memory says.
  std::atomic<uint64_t> irregular{0};
  /// What `reader` was when a copy or set had written all of it, if anybody noted that.
  std::atomic<uint64_t> readBefore{0};
  RangeWrites writes;
  uint64_t bytesAsked = 0; ///< as the program gave it; pitched memory is larger
  uint32_t poolsThen = 0;  ///< Ledger::poolsMarked() when `ofPool` was asked
  bool ofPool = false;     ///< see Auditor::isOfPool()
  bool takesRoom = false;  ///< RoomToKeep counts it
  /// A variable that the program knows by its address, and its module or library. It goes with
  /// that, which may not wait for what is under way: no hash of it is left in a stream.
  bool byAddress = false;
  bool named = false;   ///< a copy has brought its address into memory that kernels may read
  bool holds = false;   ///< a copy has brought addresses here
  bool mayHold = false; ///< ... or bytes that nobody searched for any
  /// A copy has brought its own address here, where nobody finds it as long as it is `unused`.
  std::atomic<bool> namesItself{false};
  uint64_t owner = 0;

  // What copies look at as well: a line, to the middle of `usage`.
  /// Never given twice: another one when the allocation is gone, and for who gets the place next.
  alignas(64) std::atomic<uint64_t> serial{0};
  std::vector<KeyPlace> keys; ///< transfers whose device side lies in here
  RangeUsage usage;
  uint64_t context = 0;
  int device = -1;
  SiteIndex site = 0, caller = 0;
  uint64_t unknownAtStart = 0;        ///< unknownUses() when it was made
  uint64_t allocTicks = 0;            ///< what the allocation took
  Churn *churn = nullptr;             ///< of its place, see AdviceDetectors
  std::unique_ptr<KeyIndex> keyIndex; ///< of `keys`, where there are many
  bool isWhole = false;     ///< no more than KeyIndex::From of them: they are used together
  uint64_t reached[2] = {}; ///< where the last of all transfers to it, and from it, ended

  bool isDevice() const;
  /// Code on the host may write it without a call.
  bool hostCanTouch() const {
    return resource == GPUINSTR_RES_MANAGED || resource == GPUINSTR_RES_PINNED ||
           resource == GPUINSTR_RES_REGISTERED;
  }
  /// No kernel can write it.
  bool isReadOnly() const { return constant && !exported.load(); }
  /// With the access that the launch of a kernel has: it may hand the address on.
  void noteEscape(uint8_t access) {
    if (!global.load(std::memory_order_relaxed)) {
      escaped.store(true);
      global.store(true);
    }
    if (!(access & GPUINSTR_ACCESS_UNKNOWN) && !kept.load(std::memory_order_relaxed))
      kept.store(true);
  }
  /// Behind all that went that way before: what comes there first is no repeat.
  bool comesFirst(uint64_t lo, uint64_t hi, bool isDownload) {
    const bool isFirst = lo >= reached[isDownload];
    reached[isDownload] = std::max(reached[isDownload], hi);
    return isFirst;
  }
  bool isMixed() const { return use.load(std::memory_order_relaxed) == RangeUse::Mixed; }
  uint64_t end() const { return base + bytes; }
  /// No longer `unused`. Any thread, while another one finds that it names itself.
  void noteUsed() {
    unused.store(false);
    if (namesItself.load())
      escaped.store(true);
  }

  /// Whether `visit` returns true for one of the transfers that touch these bytes.
  template <class Visit> bool anyKey(uint64_t lo, uint64_t hi, Visit visit) const {
    if (__builtin_expect(keys.size() > KeyIndex::From && keyIndex, false))
      return keyIndex->any(lo, hi, visit);
    for (const KeyPlace &place : keys)
      if (place.overlaps(lo, hi) && visit(place))
        return true;
    return false;
  }
  template <class Visit> void eachKey(uint64_t lo, uint64_t hi, Visit visit) const {
    anyKey(lo, hi, [&](const KeyPlace &place) { return visit(place), false; });
  }
  /// May throw; behind it addKey() of such a one does not.
  void reserveKey(const KeyPlace &place);
  void addKey(const KeyPlace &place);
};

/// In lines: what calls count, what an allocation and its free look up, the rest.
class alignas(64) Ranges {
public:
  Range &add(uint64_t base, uint64_t bytes, unsigned resource);
  void remove(Range &range);
  /// What a handle, a variable or an address that is none of ours stands for; made at the first
  /// use. Null: there are too many.
  Range *opaque(uint64_t handle, uint64_t context);
  Range *knownOpaque(uint64_t handle);
  size_t opaqueCount() const { return Opaque.size(); }
  /// Visits those that may have transfers to or from these addresses.
  template <class Visit> void eachOpaqueNear(uint64_t lo, uint64_t hi, Visit visit) {
    const uint64_t from = lo - std::min(lo, widestOpaque);
    for (auto it = Opaque.lower_bound(from); it != Opaque.end() && it->first < hi; ++it)
      visit(*it->second);
  }
  uint64_t widestOpaque = 0; ///< bytes that one transfer there spans at most
  /// The allocation that contains the address.
  Range *find(uint64_t address);
  /// One that has bytes in common with these.
  Range *overlapping(uint64_t base, uint64_t bytes);
  /// As find(), or else the one that ends there: an end pointer may be used to write backwards.
  /// Where two lie side by side, an address on the border is taken for the start of the second.
  Range *findOrEnd(uint64_t address);
  /// From where to where that would find nothing either. It finds nothing here.
  std::pair<uint64_t, uint64_t> gapAround(uint64_t address);
  /// The next one behind the address, if it is no farther; null: none.
  Range *firstAbove(uint64_t address, uint64_t most);
  /// A copy has brought the allocation's address into memory that kernels may read.
  void noteNamed(Range &range, bool inVariable);
  /// ... into itself: who reads it there has it already.
  static void noteNamesItself(Range &range);
  /// ... into this; null: nobody knows how long that stays.
  void noteHolder(Range *holder);
  /// Visits each live allocation that contains one of the aligned words as an address.
  template <class Visit> void eachAddressIn(const void *data, uint64_t bytes, Visit visit);
  template <class Visit> void each(Visit visit) {
    Live.each(visit);
    for (auto &entry : Opaque)
      visit(*entry.second);
  }
  void clear();
  /// Of all memory that host and kernels both reach: changes when kernels may have used any of it,
  /// and with each such allocation.
  struct SharedUses {
    uint64_t all = 0;    ///< 0: there is no such memory
    uint64_t passed = 0; ///< pinned memory: but for what libraries' kernels may do unseen
    bool tooMany = false;
  };
  SharedUses sharedUses() const;

  /// Changes with each allocation and free.
  static constexpr std::atomic<uint64_t> &generation = AuditHot.rangeGeneration;
  /// ... with those that change what an address of the host is: of memory that is not the device's
  /// alone. Memory of the device never has an address that was the host's.
  static constexpr std::atomic<uint64_t> &hostGeneration = AuditHot.hostGeneration;

  // What may have happened to any allocation.
  static constexpr std::atomic<Order> &launches = AuditHot.launches; ///< of the process
  /// Launches of kernels that may write device variables.
  static constexpr std::atomic<uint64_t> &variableWrites = AuditHot.variableWrites;
  /// Launches that may follow pointers in memory.
  static constexpr std::atomic<uint64_t> &follows = AuditHot.follows;
  /// Library calls, graphs, kernels that we know nothing of.
  static constexpr std::atomic<uint64_t> &unknownWrites = AuditHot.unknownWrites;
  /// No address of an allocation lies below or above. They only widen.
  static constexpr std::atomic<uint64_t> &lowest = AuditHot.lowest, &highest = AuditHot.highest;
  static bool mayBeAddress(uint64_t word) {
    return word >= lowest.load(std::memory_order_relaxed) &&
           word <= highest.load(std::memory_order_relaxed);
  }
  /// An address may have been handed on unseen.
  static constexpr std::atomic<uint64_t> &unknownUses = AuditHot.unknownUses;
  /// LaunchStamp of the last such launch.
  static constexpr std::atomic<uint64_t> &follower = AuditHot.follower, &unknown = AuditHot.unknown;
  /// Allocations up to this serial: any later kernel may have got their addresses.
  static constexpr std::atomic<uint64_t> &lostUpTo = AuditHot.lostUpTo;
  static uint64_t lastSerial() { return Serial.load(); }
  /// Something was uploaded that was not searched for addresses.
  static constexpr std::atomic<bool> &unscanned = AuditHot.unscanned;
  std::atomic<uint64_t> unscannedSince{0}; ///< `follows` then: what ran before it did not see it
  /// A kernel may have found any address in what was not searched.
  bool followedUnscanned() const { return unscanned.load() && follows.load() != unscannedSince; }
  void leaveUnscanned();             ///< with the lock held
  void leaveUnscanned(Range *there); ///< where it went; null: not known, or a variable
  /// Addresses in memory may have come into variables, where any kernel may find them.
  static constexpr std::atomic<bool> &variablesHold = AuditHot.variablesHold;
  static void fillVariables();
  /// The program asked where a variable lies: what is unknown to us may be one.
  static constexpr std::atomic<bool> &placesOfSymbols = AuditHot.placesOfSymbols;
  /// Kernels may write arrays: there is, or was, a surface object.
  static constexpr std::atomic<bool> &surfaces = AuditHot.surfaces;

  /// Rises when something may have written, or read, the allocation; never falls.
  uint64_t writesOf(const Range &range) const;
  uint64_t readsOf(const Range &range) const;
  struct Uses {
    uint64_t writes, reads;
  };
  /// Both at once.
  Uses usesOf(const Range &range) const;
  /// The same, but for what launches that are known to read or write it have done.
  uint64_t unseenUsesOf(const Range &range) const { return version(range, 0); }
  /// Whether a kernel that may write (or read) it may still be running when the stream goes on.
  bool writerMayRun(const Range &range, const StreamState &stream, const Streams &streams) const;
  bool readerMayRun(const Range &range, const StreamState &stream, const Streams &streams) const;
  /// The same of what is known to read it alone.
  static bool knownReaderMayRun(const Range &range, const StreamState &stream,
                                const Streams &streams) {
    return streams.mayRun(range.reader.load(), stream) ||
           (range.variable && streams.othersMayRun(stream));
  }

private:
  bool isGlobal(const Range &range) const;
  /// As far as copies show: what a library was given is no variable's.
  static bool isInVariable(const Range &r) {
    return (r.named && r.global.load()) || r.serial <= lostUpTo.load();
  }
  /// `last`: the launch that wrote or read it last, a LaunchStamp.
  uint64_t version(const Range &range, uint64_t last) const;
  /// Of a variable each kernel may read what it names: which one does, nobody has noted.
  static uint64_t namedReads(const Range &range) {
    return __builtin_expect(range.variable, false) ? launches.load() : 0;
  }

  /// The place had an address that still stands in memory.
  void inheritStale(Range &fresh);
  void forgetHolder(const Range &range);
  void noteShared(Range &range);
  void forgetShared(const Range &range);
  Range &fresh();
  void leave(Range &range); ///< to be used again

  alignas(64) AddressMap<Range> Live; ///< by first address
  static constexpr std::atomic<uint64_t> &Serial = AuditHot.serial;
  std::vector<Range *> Spare;
  /// hostCanTouch(): so many are listed, the others counted.
  static constexpr size_t SharedMost = 64;
  Range *Shared[SharedMost] = {};
  size_t SharedListed = 0, SharedOthers = 0;
  std::map<uint64_t, Range *> Opaque; ///< by handle
  /// Of allocations that are gone, while addresses in memory may be theirs.
  StaleAddresses Stale;
  size_t Holders = 0; ///< live allocations that hold addresses, and one for what is never gone
  bool HoldsForGood = false;
  std::deque<Range> All;
};

inline bool Ranges::isGlobal(const Range &r) const {
  return r.global.load() || r.serial <= lostUpTo.load() ||
         (r.escaped.load() && variablesHold.load());
}

inline uint64_t Ranges::version(const Range &r, uint64_t last) const {
  if (__builtin_expect(r.isReadOnly(), false))
    return LaunchStamp::order(last);
  uint64_t sum = LaunchStamp::order(last) + unknownWrites.load();
  if (r.variable && !r.exported.load())
    sum += variableWrites.load();
  else if (isGlobal(r))
    sum += launches.load();
  if (r.escaped.load())
    sum += follows.load();
  else if (unscanned.load())
    sum += follows.load() - unscannedSince.load();
  return sum;
}

inline bool Ranges::writerMayRun(const Range &r, const StreamState &stream,
                                 const Streams &streams) const {
  if (r.isReadOnly())
    return false;
  if (streams.mayRun(r.writer.load(), stream) || streams.mayRun(unknown.load(), stream))
    return true;
  if ((r.escaped.load() || unscanned.load()) && streams.mayRun(follower.load(), stream))
    return true;
  return isGlobal(r) && streams.othersMayRun(stream);
}

inline Ranges::Uses Ranges::usesOf(const Range &r) const {
  const uint64_t writer = r.writer.load(std::memory_order_acquire),
                 reader = r.reader.load(std::memory_order_acquire);
  const uint64_t unseen = version(r, 0);
  return {LaunchStamp::order(writer) + unseen, LaunchStamp::order(reader) + unseen + namedReads(r)};
}

template <class Visit> void Ranges::eachAddressIn(const void *data, uint64_t bytes, Visit visit) {
  if (Live.empty() || bytes < 8)
    return;
  uint64_t low = Live.above(0).address, high = Live.floor(~uint64_t(0)).value->end();
  // A piece ends with the word that the next one begins with, so that none in between is missed.
  constexpr uint64_t Piece = 1 << 30;
  for (const char *at = static_cast<const char *>(data); bytes >= 8;) {
    uint64_t piece = std::min(bytes, Piece + 4);
    eachPossibleAddress(at, uint32_t(piece), low, high - low, [&](uint64_t value) {
      if (Range *range = findOrEnd(value))
        visit(*range);
    });
    uint64_t done = std::min(bytes, Piece);
    at += done;
    bytes -= done;
  }
}

} // namespace gpuinstr::audit

#endif
