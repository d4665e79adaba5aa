// What a launch does to the allocations that its arguments lead to.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/LaunchArguments.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/Auditor.h"
#include "base/HotCode.h"
#include "calls/threads/RepeatedCalls.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

constexpr uint8_t Unseen = GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_ESCAPE;
constexpr uint8_t Writes = GPUINSTR_ACCESS_WRITE | Unseen;
constexpr uint64_t LargeSpan = uint64_t(1) << 21;
constexpr uint8_t Reads = GPUINSTR_ACCESS_READ | Unseen;
constexpr uint8_t Regular = GPUINSTR_ACCESS_WRITE | GPUINSTR_ACCESS_REGULAR;

/// A launch, as each of its arguments looks at it.
struct LaunchNow {
  LaunchCache &cache;
  LaunchMemo &memo; ///< of this generation of ranges
  uint64_t now;     ///< its LaunchStamp
  SiteIndex site;
  const KernelShape &shape;
  const gpuinstr_frame &frame;
  void *const *arguments;
  unsigned met = 0; ///< of its addresses
  /// What the last address lay in that may lead the kernel anywhere.
  const Range *touched = nullptr;
  bool follows = false; ///< some address leads it there, `touched` or not
};

/// Kernels have read what was there when the last one had written it.
ALWAYS_INLINE bool isReadBehind(const Range &range) {
  const uint64_t read = range.reader.load(std::memory_order_relaxed);
  return read && read != range.readBefore.load(std::memory_order_relaxed) &&
         read >= range.writer.load(std::memory_order_relaxed);
}

/// Before the launch's own stamps. `launch`: null if nobody knows how the kernel is launched.
__attribute__((noinline)) void noteWrite(Range &range, uint8_t access, const LaunchNow *launch) {
  RangeUse use = range.use.load(std::memory_order_relaxed);
  if (use == RangeUse::Noted && isReadBehind(range))
    use = RangeUse::Read;
  const bool isKnown = access == Regular && launch;
  if (access & Reads || use == RangeUse::Written)
    use = RangeUse::Mixed;
  else if (use == RangeUse::Noted && isKnown)
    range.writes.add(hashOfLaunch(launch->shape, launch->frame, launch->arguments));
  else if (use == RangeUse::Read &&
           (!isKnown ||
            !range.writes.has(hashOfLaunch(launch->shape, launch->frame, launch->arguments))))
    use = RangeUse::Mixed;
  range.use.store(use, std::memory_order_relaxed);
}

ALWAYS_INLINE void touchInline(Range &range, uint8_t access, uint64_t now, SiteIndex site,
                               const LaunchNow *launch) {
  if (__builtin_expect(access == 0, false))
    return notePassed(range, site);
  if (__builtin_expect(range.unused.load(std::memory_order_relaxed), false))
    noteFirstLaunch(range, LaunchStamp::order(now), site);
  range.users.note(site, access);
  if (access & Writes) {
    RangeUse use = range.use.load(std::memory_order_relaxed);
    if (UNLIKELY(use != RangeUse::Mixed) &&
        (access & Reads || use != RangeUse::Written || isReadBehind(range)))
      noteWrite(range, access, launch);
    stampLaunch(range.writer, now);
  }
  if (__builtin_expect(access == GPUINSTR_ACCESS_WRITE, false)) // and not REGULAR
    stampLaunch(range.irregular, now);
  if ((access & (GPUINSTR_ACCESS_WRITE | Unseen)) == GPUINSTR_ACCESS_WRITE &&
      UNLIKELY(!range.written.load(std::memory_order_relaxed)))
    range.written.store(true, std::memory_order_relaxed);
  if (access & Reads) {
    stampLaunch(range.reader, now);
    if (__builtin_expect(range.writer.load(std::memory_order_relaxed) == now, false))
      range.use.store(RangeUse::Mixed, std::memory_order_relaxed); // by two of its parameters
  }
  if (access & Unseen)
    range.noteEscape(access);
}
void touch(Range &range, uint8_t access, uint64_t now, SiteIndex site,
           const LaunchNow *launch = nullptr) {
  touchInline(range, access, now, site, launch);
}

/// What this line's last launch of the same kernel did to it, which may do anything: only the
/// stamps are new. False: something else is.
GPUINSTR_HOT bool touchAgain(Range &range, uint64_t now, SiteIndex site, uint8_t access) {
  bool isKnown = range.isMixed() && range.global.load(std::memory_order_relaxed) &&
                 !range.unused.load(std::memory_order_relaxed);
  if (__builtin_expect(!isKnown, false))
    return false;
  range.users.noteAgain(site, access);
  stampLaunch(range.writer, now);
  stampLaunch(range.reader, now);
  return true;
}

bool isInside(const Range &range, uint64_t address) { return address - range.base < range.bytes; }

__attribute__((noinline)) Range *findRange(LaunchCache &cache, uint64_t address) {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  uint64_t generation = a.ranges.generation.load();
  if (cache.generation != generation)
    cache.forgetRanges(generation);
  Range *range = a.ranges.findOrEnd(address);
  if (range && isInside(*range, address)) {
    cache.noteMiss();
    cache.spanOf(address, range->bytes >= LargeSpan) = range;
  } else if (range) {
    cache.setOf(address).ways[cache.next++ % LaunchCache::Ways] = {address, range};
  } else {
    auto [begin, end] = a.ranges.gapAround(address);
    cache.noteGap(begin, end);
  }
  return range;
}

} // namespace

Range *rangeBehind(LaunchCache &cache, uint64_t address) {
  constexpr uint64_t Near = 1 << 20; // a row or plane before the start, too
  if (cache.generation == Ranges::generation.load() && cache.toEndOfGap(address) > Near)
    return nullptr;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  return a.ranges.firstAbove(address, Near);
}

Range *rangeBefore(LaunchCache &cache, uint64_t address) {
  Range *range = searchSpans(cache, address - 1);
  return range && range->end() == address ? range : nullptr;
}

GPUINSTR_HOT Range *searchSpans(LaunchCache &cache, uint64_t address) {
  auto spanAt = [&](bool isLarge) -> Range * {
    auto *range = static_cast<Range *>(cache.spanOf(address, isLarge));
    return range && isInside(*range, address) ? range : nullptr;
  };
  if (__builtin_expect(cache.generation == Ranges::generation.load(), true)) {
    if (Range *range = spanAt(true))
      return range;
    for (const LaunchCache::Place &place : cache.setOf(address).ways)
      if (place.address == address)
        return static_cast<Range *>(place.range);
    if (Range *range = spanAt(false))
      return range;
    if (cache.isInGap(address))
      return nullptr;
  }
  return findRange(cache, address);
}

namespace {

/// `again`: it was the last launch's, too.
Range *rangeAt(LaunchNow &launch, uint64_t address, bool &again) {
  if (launch.met == LaunchMemo::Ways)
    launch.met = 0;
  void *&last = launch.memo.ranges[launch.met++];
  if (auto *range = static_cast<Range *>(last); range && isInside(*range, address)) {
    again = true;
    return range;
  }
  Range *range = searchSpans(launch.cache, address);
  if (range && isInside(*range, address))
    last = range;
  return range;
}

__attribute__((noinline)) void touchBeside(LaunchNow &launch, Range *range,
                                           const KernelShape::Parameter &p) {
  if (range)
    touch(*range, ownAccess(p.access), launch.now, launch.site, &launch);
}

/// What the kernel finds through the address may lead it anywhere.
GPUINSTR_HOT void touchAddress(LaunchNow &launch, uint64_t address,
                               const KernelShape::Parameter &p) {
  if (address < FirstPage)
    return;
  if (launch.touched && !p.pointer && isInside(*launch.touched, address))
    return; // a list of pieces of a pool: it was touched a moment ago, in every way
  bool again = false;
  Range *range = rangeAt(launch, address, again);
  if (__builtin_expect(mayBeginLater(range, address) && p.access, false))
    touchBeside(launch, rangeBehind(launch.cache, address), p);
  if (__builtin_expect(mayHaveEnded(range, address, p.access), false))
    touchBeside(launch, rangeBefore(launch.cache, address), p);
  if (!range) {
    // Memory that we did not see being made: what it holds, we did not see either.
    if (p.pointer && p.access & LeadsOn)
      noteUnknownAccess(launch.now);
    if (p.pointer && p.access & GPUINSTR_ACCESS_WRITE)
      noteStrayWrite(address);
    return;
  }
  // A memo that launches share is of no line.
  bool isKnown = again && launch.memo.function && p.access == GPUINSTR_ACCESS_UNKNOWN;
  if (!isKnown || !touchAgain(*range, launch.now, launch.site, p.access))
    touch(*range, ownAccess(p.access), launch.now, launch.site, &launch);
  if (!(p.access & LeadsOn))
    return;
  launch.follows = true;
  if (p.access & GPUINSTR_ACCESS_UNKNOWN)
    launch.touched = range;
  if (range->hostCanTouch())
    noteUnknownAccess(launch.now); // the host may have put any address there
}

/// Of those that the last launches got: of two that take turns, each gets the other's.
ALWAYS_INLINE Range *rangeAmong(const LaunchMemo &memo, unsigned likely, uint64_t address) {
  for (unsigned i = likely, next = 0;; i = next++) {
    auto *range = static_cast<Range *>(memo.ranges[i]);
    if (range && isInside(*range, address))
      return range;
    if (next == LaunchMemo::Ways)
      return nullptr;
  }
}

/// An address that lies where one of the last launches' did, of a kernel whose code shows that it
/// leads nowhere: as touchAddress(). False: nothing was done.
ALWAYS_INLINE bool touchSame(LaunchNow &launch, uint64_t address, const KernelShape::Parameter &p) {
  constexpr uint8_t Further = LeadsOn | Unseen | GPUINSTR_ACCESS_BEFORE;
  if (UNLIKELY(p.access & Further || p.access == 0 || launch.met == LaunchMemo::Ways))
    return false;
  Range *range = rangeAmong(launch.memo, launch.met, address);
  if (UNLIKELY(!range || mayBeginLater(range, address)))
    return false;
  ++launch.met;
  touchInline(*range, p.access, launch.now, launch.site, &launch);
  return true;
}

/// As eachAddress() visits them, where there are no structs.
ALWAYS_INLINE void touchWords(LaunchNow &launch) {
  const KernelShape::Parameter *p = launch.shape.parameters;
  for (const KernelShape::Parameter *end = p + launch.shape.count; p != end; ++p) {
    const char *at = p->at(launch.arguments);
    if (UNLIKELY(!at))
      continue;
    uint64_t value;
    std::memcpy(&value, at, sizeof value);
    if (UNLIKELY(!p->pointer) && !Ranges::mayBeAddress(value))
      continue;
    if (UNLIKELY(!touchSame(launch, value, *p)))
      touchAddress(launch, value, *p);
  }
}

/// Addresses of a launch, where structs hold some. What is known of each lies in lines of its
/// own, out of the caches: all are asked for before the first is touched, which waits for its line.
class AddressRow {
public:
  AddressRow(LaunchNow &launch) : Launch(launch) {}
  void add(uint64_t value, const KernelShape::Parameter &p) {
    if (Number == Most)
      touch();
    __builtin_prefetch(&Launch.cache.spanOf(value, true));
    Row[Number++] = {value, &p};
  }
  void touch() {
    if (Number > 1)
      for (unsigned i = 0; i < Number; ++i)
        if (const void *range = Launch.cache.spanOf(Row[i].value, true))
          __builtin_prefetch(range, 1);
    for (unsigned i = 0; i < Number; ++i)
      touchAddress(Launch, Row[i].value, *Row[i].parameter);
    Number = 0;
  }

private:
  static constexpr unsigned Most = 16;
  LaunchNow &Launch;
  struct {
    uint64_t value;
    const KernelShape::Parameter *parameter;
  } Row[Most];
  unsigned Number = 0;
};

GPUINSTR_HOT __attribute__((noinline)) void
touchStructs(LaunchNow &launch, const KernelShape &shape, void *const *arguments) {
  AddressRow row(launch);
  eachAddress(shape, arguments,
              [&](uint64_t value, const KernelShape::Parameter &p) { row.add(value, p); });
  row.touch();
}

} // namespace

LaunchMemo &memoOf(ThreadState &thread) {
  if (thread.fastPath != FastPath::RootLaunch)
    return thread.launches.recent;
  return reinterpret_cast<RepeatedCall *>(thread.root.attribution)->memo;
}

GPUINSTR_HOT void touchArguments(ThreadState &thread, const gpuinstr_frame &frame,
                                 const KernelShape &shape, void *const *arguments, uint64_t now) {
  LaunchMemo &memo = memoOf(thread);
  LaunchNow launch{thread.launches, memo, now, thread.root.site, shape, frame, arguments};
  uint64_t generation = Ranges::generation.load();
  if (__builtin_expect(memo.generation != generation, false)) {
    std::fill(memo.ranges, memo.ranges + LaunchMemo::Ways, nullptr);
    memo.generation = generation;
  }
  if (launch.shape.hasStructs)
    touchStructs(launch, launch.shape, launch.arguments);
  else
    touchWords(launch);
  if (__builtin_expect(launch.shape.leadsByValue, false) &&
      holdsStrangers(launch.cache, launch.shape, launch.arguments))
    noteUnknownAccess(launch.now);
  if (launch.follows) {
    stampLaunch(Ranges::follower, launch.now);
    Ranges::follows.fetch_add(1);
    if (__builtin_expect(!launch.shape.keepsVariables, false))
      Ranges::fillVariables();
  }
}

namespace {

/// stampLaunch() where there is one thread. False: not so simple, nothing was done.
ALWAYS_INLINE bool stampAgain(std::atomic<uint64_t> &place, uint64_t now) {
  if (LaunchStamp::stream(place.load(std::memory_order_relaxed)) != LaunchStamp::stream(now))
    return false;
  place.store(now, std::memory_order_release);
  return true;
}

/// A launch that writes it makes noteWrite() learn nothing.
ALWAYS_INLINE bool isWrittenAsBefore(const Range &range, uint8_t access) {
  const RangeUse use = range.use.load(std::memory_order_relaxed);
  return LIKELY(use == RangeUse::Mixed) ||
         (use == RangeUse::Written && !(access & GPUINSTR_ACCESS_READ) && !isReadBehind(range));
}

/// touchInline() by a launch whose line the range knows, `access` being plain.
ALWAYS_INLINE bool touchPlainly(Range &range, uint8_t access, uint64_t now, SiteIndex site) {
  if (range.unused.load(std::memory_order_relaxed) || !range.users.noteKnown(site, access))
    return false;
  if (access & GPUINSTR_ACCESS_WRITE &&
      (!isWrittenAsBefore(range, access) || !range.written.load(std::memory_order_relaxed) ||
       !stampAgain(range.writer, now) ||
       (access == GPUINSTR_ACCESS_WRITE && !stampAgain(range.irregular, now))))
    return false;
  return !(access & GPUINSTR_ACCESS_READ) ||
         ((range.writer.load(std::memory_order_relaxed) != now || range.isMixed()) &&
          stampAgain(range.reader, now));
}

} // namespace

GPUINSTR_HOT bool touchAgain(ThreadState &thread, const gpuinstr_frame &frame,
                             const KernelShape &shape, uint64_t now) {
  const LaunchMemo &memo = memoOf(thread);
  auto *arguments = reinterpret_cast<void *const *>(frame.slot[GPUINSTR_SLOT_ARGS]);
  if (memo.generation != Ranges::generation.load() || !arguments ||
      AuditHot.severalThreads.load(std::memory_order_relaxed))
    return false;
  unsigned met = 0;
  for (const auto *p = shape.parameters, *end = p + shape.count; p != end; ++p) {
    const char *at = p->at(arguments);
    if (!at)
      return false;
    uint64_t value;
    std::memcpy(&value, at, sizeof value);
    if (!p->pointer && !Ranges::mayBeAddress(value))
      continue;
    Range *range = p->pointer ? rangeAmong(memo, met++, value) : nullptr;
    if (!range || mayBeginLater(range, value) ||
        !touchPlainly(*range, p->access, now, thread.root.site))
      return false;
  }
  return true;
}

void touchRange(Range &range, uint8_t access, uint64_t now, SiteIndex site) {
  touch(range, access, now, site);
}

__attribute__((noinline)) void noteFirstLaunch(Range &range, Order order, SiteIndex site) {
  noteFirstUse(range, auditor().ranges, launchEvent(order), site);
  range.used.store(true, std::memory_order_relaxed);
  range.noteUsed();
}

void notePassed(Range &range, SiteIndex site) {
  range.usage.passedAt.store(site, std::memory_order_relaxed);
  range.users.notePassed(site);
}

} // namespace gpuinstr::audit
