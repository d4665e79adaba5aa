// What a kernel launch may touch: its arguments, read as addresses.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/AddressScan.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/KernelShapes.h"
#include "audit/state/Auditor.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include "cuda/operands/LaunchConfig.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr::audit {

namespace {

constexpr uint8_t Unseen = GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_ESCAPE;
constexpr uint8_t Writes = GPUINSTR_ACCESS_WRITE | Unseen;
constexpr uint64_t FirstPage = 4096; ///< no address lies below
constexpr uint64_t LargeSpan = uint64_t(1) << 21;
constexpr uint8_t Reads = GPUINSTR_ACCESS_READ | Unseen;

__attribute__((noinline)) StreamState *findStream(ThreadState &thread, uint64_t handle) {
  LaunchCache &cache = thread.launches;
  std::swap(cache.stream, cache.lastStream);
  const LaunchCache::Stream &last = cache.stream;
  // Where there are several, the handle of a default stream may mean another one by now.
  if (last.handle == handle && last.state && last.generation == Streams::generation.load() &&
      !Auditor::severalContexts.load(std::memory_order_relaxed))
    return static_cast<StreamState *>(last.state);
  Auditor &a = auditor();
  uint64_t context = contextOf(thread);
  std::lock_guard<InlineMutex> lock(a.mutex);
  const uint64_t generation = a.streams.generation.load();
  StreamState &state = a.streams.of(handle, context, &thread);
  cache.stream = {handle, &state, generation};
  return &state;
}

StreamState &streamOf(ThreadState &thread, uint64_t handle) {
  const LaunchCache::Stream &stream = thread.launches.stream;
  if (__builtin_expect(stream.handle == handle && stream.state &&
                           stream.generation == Streams::generation.load(),
                       true))
    return *static_cast<StreamState *>(stream.state);
  return *findStream(thread, handle);
}

/// Of several streams, the stamp says so. It never falls: it is what tells versions apart.
void stamp(std::atomic<uint64_t> &place, uint64_t now) {
  uint64_t before = place.load(std::memory_order_relaxed), next;
  auto later = [&] {
    next = std::max(before, now);
    if (before && LaunchStamp::stream(before) != LaunchStamp::stream(now))
      next |= LaunchStamp::Several;
    return next;
  };
  if (__builtin_expect(!Auditor::severalThreads.load(std::memory_order_relaxed), true))
    return place.store(later(), std::memory_order_release);
  while (!place.compare_exchange_weak(before, later()))
    ;
}

void noteUnknownAccess(uint64_t now, bool keeps = true) {
  Ranges &ranges = auditor().ranges;
  if (keeps)
    ranges.lostUpTo.store(ranges.lastSerial());
  stamp(ranges.unknown, now);
  ranges.unknownWrites.fetch_add(1);
  ranges.unknownUses.fetch_add(1);
}

__attribute__((noinline)) void touchFirst(Range &range, uint64_t now, SiteIndex site) {
  noteFirstUse(range, auditor().ranges, launchEvent(LaunchStamp::order(now)), site);
  range.used.store(true, std::memory_order_relaxed);
  range.unused.store(false, std::memory_order_relaxed);
}

/// A kernel whose code shows that it leaves what it got alone.
void pass(Range &range, SiteIndex site) {
  range.usage.passedAt.store(site, std::memory_order_relaxed);
  range.users.notePassed(site);
}

/// Before the launch's own stamps.
void noteMixed(Range &range, uint8_t access) {
  uint64_t read = range.reader.load(std::memory_order_relaxed);
  if (access & Reads || (read && read >= range.writer.load(std::memory_order_relaxed)))
    range.mixed.store(true, std::memory_order_relaxed);
}

void touch(Range &range, uint8_t access, uint64_t now, SiteIndex site) {
  if (__builtin_expect(access == 0, false))
    return pass(range, site);
  if (__builtin_expect(range.unused.load(std::memory_order_relaxed), false))
    touchFirst(range, now, site);
  range.users.note(site, access);
  if (access & Writes) {
    if (!range.mixed.load(std::memory_order_relaxed))
      noteMixed(range, access);
    stamp(range.writer, now);
  }
  if (__builtin_expect(access == GPUINSTR_ACCESS_WRITE, false)) // and not REGULAR
    stamp(range.irregular, now);
  if ((access & (GPUINSTR_ACCESS_WRITE | Unseen)) == GPUINSTR_ACCESS_WRITE &&
      !range.written.load(std::memory_order_relaxed))
    range.written.store(true, std::memory_order_relaxed);
  if (access & Reads) {
    stamp(range.reader, now);
    if (__builtin_expect(range.writer.load(std::memory_order_relaxed) == now, false))
      range.mixed.store(true, std::memory_order_relaxed); // by two of its parameters
  }
  if (access & Unseen && !range.global.load(std::memory_order_relaxed)) {
    range.escaped.store(true);
    range.global.store(true);
  }
}

__attribute__((noinline)) Range *findRange(LaunchCache &cache, uint64_t address) {
  Auditor &a = auditor();
  std::lock_guard<InlineMutex> lock(a.mutex);
  uint64_t generation = a.ranges.generation.load();
  if (cache.generation != generation) {
    for (auto &set : cache.sets)
      set = LaunchCache::Set();
    for (auto &span : cache.spans)
      span = LaunchCache::Span();
    cache.recent = LaunchCache::Set();
    cache.generation = generation;
  }
  Range *range = a.ranges.findOrEnd(address);
  if (range && address - range->base < range->bytes)
    cache.spanOf(address, range->bytes >= LargeSpan) = {range->base, range->bytes, range};
  cache.setOf(address).ways[cache.next++ % LaunchCache::Ways] = {address, range};
  return range;
}

__attribute__((noinline)) Range *searchSet(LaunchCache &cache, uint64_t address) {
  if (__builtin_expect(cache.generation == Ranges::generation.load(), true)) {
    for (const LaunchCache::Place &place : cache.setOf(address).ways)
      if (place.address == address)
        return static_cast<Range *>(place.range);
    for (bool isLarge : {true, false})
      if (const LaunchCache::Span &span = cache.spanOf(address, isLarge);
          address - span.base < span.bytes)
        return static_cast<Range *>(span.range);
  }
  return findRange(cache, address);
}

/// `parameter`: the kernel's, counted from 0.
Range *rangeAt(LaunchCache &cache, uint64_t address, uint32_t parameter) {
  LaunchCache::Place &recent = cache.recent.ways[parameter % LaunchCache::Ways];
  if (__builtin_expect(recent.address == address && cache.generation == Ranges::generation.load(),
                       true))
    return static_cast<Range *>(recent.range);
  Range *range = searchSet(cache, address); // may clear the recent ones
  recent = {address, range};
  return range;
}

/// True when what the kernel finds through the address may lead it anywhere. `touched`: what this
/// launch's last such address lay in.
bool touchAddress(LaunchCache &cache, uint64_t address, const KernelShape::Parameter &p,
                  uint64_t now, SiteIndex site, const Range *&touched) {
  if (address < FirstPage)
    return false;
  if (touched && !p.pointer && address - touched->base < touched->bytes)
    return true; // a list of pieces of a pool: it was touched a moment ago, in every way
  Range *range = rangeAt(cache, address, p.index);
  if (!range) {
    // Memory that we did not see being made: what it holds, we did not see either.
    if (p.pointer && p.access & GPUINSTR_ACCESS_UNKNOWN)
      noteUnknownAccess(now);
    return false;
  }
  touch(*range, p.access, now, site);
  if (!(p.access & GPUINSTR_ACCESS_UNKNOWN))
    return false;
  touched = range;
  if (range->hostCanTouch())
    noteUnknownAccess(now); // the host may have put any address there
  return true;
}

/// Visits what the arguments may hold as addresses: visit(address, parameter). Of what a parameter
/// by value holds, libraries pass kilobytes, only what may be an address of an allocation.
template <class Visit>
void eachAddress(const KernelShape &shape, void *const *arguments, Visit visit) {
  for (uint32_t i = 0; i < shape.count; ++i) {
    const KernelShape::Parameter &p = shape.parameters[i];
    const char *at = static_cast<const char *>(arguments[p.index]);
    if (!at)
      continue;
    if (p.pointer) {
      uint64_t value;
      std::memcpy(&value, at, sizeof value);
      visit(value, p);
      continue;
    }
    const Ranges &ranges = auditor().ranges;
    const uint64_t low = ranges.lowest.load(std::memory_order_relaxed);
    const uint64_t span = ranges.highest.load(std::memory_order_relaxed) - low;
    eachPossibleAddress(at, p.bytes, low, span, [&](uint64_t value) { visit(value, p); });
  }
}

void touchArguments(LaunchCache &cache, const KernelShape &shape, void *const *arguments,
                    uint64_t now, SiteIndex site) {
  bool follows = false;
  const Range *last = nullptr;
  eachAddress(shape, arguments, [&](uint64_t value, const KernelShape::Parameter &p) {
    follows |= touchAddress(cache, value, p, now, site, last);
  });
  if (follows) {
    Ranges &ranges = auditor().ranges;
    stamp(ranges.follower, now);
    ranges.follows.fetch_add(1);
  }
}

/// What a captured kernel gets, on its way to the capture's work.
class CapturedTouches {
public:
  CapturedTouches(uint64_t capture) : Capture(capture) {}
  void add(const GraphTouch &touch) {
    Touches[Number++] = touch;
    if (Number == Most)
      put([](GraphWork &) {});
  }
  /// `change`: what else is known of the work.
  template <class Change> void put(Change change) {
    Auditor &a = auditor();
    std::lock_guard<InlineMutex> lock(a.mutex);
    GraphWork &work = a.graphs.captured(Capture);
    for (unsigned i = 0; i < Number; ++i)
      work.noteTouch(Touches[i]);
    Number = 0;
    change(work);
  }

private:
  static constexpr unsigned Most = 32;
  const uint64_t Capture;
  GraphTouch Touches[Most];
  unsigned Number = 0;
};

/// What the kernel may touch whenever the graph is launched that this capture makes.
__attribute__((noinline)) void noteCapturedKernel(LaunchCache &cache, uint64_t capture,
                                                  const KernelShape &shape,
                                                  void *const *arguments) {
  CapturedTouches touches(capture);
  bool known = shape.known && (arguments || !shape.count), follows = false;
  if (known && shape.count)
    eachAddress(shape, arguments, [&](uint64_t address, const KernelShape::Parameter &p) {
      const bool leads = p.access & GPUINSTR_ACCESS_UNKNOWN;
      Range *range = address < FirstPage ? nullptr : rangeAt(cache, address, p.index);
      if (range) {
        touches.add({range, range->serial, p.access});
        follows |= leads;
        known &= !(leads && range->hostCanTouch());
      } else if (address >= FirstPage && p.pointer && leads) {
        known = false;
      }
    });
  touches.put([&](GraphWork &work) {
    work.unknown |= !known;
    work.follows |= follows;
    work.mayWait |= !shape.ends;
    work.keepsVariables &= shape.keepsVariables;
  });
}

/// What the driver is asked once: another capture that nobody saw begin would make a graph of
/// which nothing is known (GraphWorks).
uint64_t captureFor(LaunchCache::Capture &last, uint64_t handle) {
  const uint32_t changes = cuda::Captures.changes();
  if (last.stream == handle && last.changes == changes)
    return last.number;
  last = LaunchCache::Capture();
  uint64_t number = cuda::Captures.captureIn(handle);
  if (number && cuda::Captures.isOneOpen())
    last = {handle, number, changes, nullptr, 0};
  return number;
}

/// A launch into a graph.
GPUINSTR_HOT void captureLaunch(LaunchCache &cache, uint64_t handle, const KernelShape &shape,
                                void *const *arguments) {
  uint64_t capture = captureFor(cache.capture, handle);
  if (!capture ||
      (cache.capture.shape == &shape && cache.capture.shapeGeneration == cache.shapeGeneration))
    return;
  noteCapturedKernel(cache, capture, shape, arguments);
  if (!shape.count) {
    cache.capture.shape = &shape;
    cache.capture.shapeGeneration = cache.shapeGeneration;
  }
}

void noteVariableWrite() {
  std::atomic<uint64_t> &writes = Ranges::variableWrites;
  if (__builtin_expect(Auditor::severalThreads.load(std::memory_order_relaxed), false))
    writes.fetch_add(1, std::memory_order_relaxed);
  else
    writes.store(writes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Before the launch: whoever looks in between believes rather too much than too little.
void launch(ThreadState &thread, const gpuinstr_frame &frame) {
  const gpuinstr_site &site = *frame.site;
  auto slot = [&](unsigned i) { return site.slots >> i & 1 ? frame.slot[i] : 0; };
  uint64_t handle = slot(GPUINSTR_SLOT_STREAM), function = slot(GPUINSTR_SLOT_FUNC);
  auto *config = reinterpret_cast<const cuda::RuntimeLaunchConfig *>(
      site.detail == 0 ? slot(GPUINSTR_SLOT_PARAMS) : 0);
  if (config)
    handle = config->stream;
  if (handle == 0 && (site.flags & GPUINSTR_SITE_PER_THREAD))
    handle = 2;
  thread.launches.launched = true;
  StreamState &stream = streamOf(thread, handle);
  if (__builtin_expect(config && cuda::isDependentLaunch(config->attributes, config->count), false))
    stream.dependent.store(true);
  LaunchCache &cache = thread.launches;
  bool isKernel = function && site.detail == 0;
  auto *shape = static_cast<const KernelShape *>(cache.shape);
  if (__builtin_expect(isKernel && (cache.function != function || !shape ||
                                    cache.shapeGeneration != kernelGeneration()),
                       false))
    shape = findKernelShape(cache, function, site.flags & GPUINSTR_SITE_DRIVER);
  bool mayWait = !isKernel || !shape->ends;
  uint64_t order = Ranges::launches.fetch_add(1) + 1;
  uint64_t now = LaunchStamp::pack(order, stream.index);
  // Before the next lines, for whoever places a hash.
  if (mayWait)
    stream.lastWaiting.store(order, std::memory_order_relaxed);
  stream.lastLaunch.exchange(order);
  if (__builtin_expect(Auditor::underWay.load() != 0, false) && mayWait)
    putBehindHashes(auditor(), stream, handle);
  stream.work.store(true, std::memory_order_relaxed);
  if (!isKernel)
    return noteUnknownAccess(now);
  if (!shape->keepsVariables)
    noteVariableWrite();
  auto *arguments = reinterpret_cast<void *const *>(slot(GPUINSTR_SLOT_ARGS));
  if (__builtin_expect(cuda::Captures.anyOpen(), false))
    captureLaunch(cache, handle, *shape, arguments);
  if (!shape->known || (!arguments && shape->count))
    return noteUnknownAccess(now);
  if (shape->count)
    touchArguments(cache, *shape, arguments, now, thread.root.site);
}

} // namespace

GPUINSTR_HOT void noteLaunch(ThreadState &thread, const gpuinstr_frame &frame) {
  BusyScope busy(thread);
  guarded([&] { launch(thread, frame); });
}

uint64_t noteKnownWork(ThreadState &thread, uint64_t handle, bool mayWait) {
  Auditor &a = auditor();
  StreamState &stream = streamOf(thread, handle);
  uint64_t order = a.ranges.launches.fetch_add(1) + 1;
  if (mayWait)
    stream.lastWaiting.store(order, std::memory_order_relaxed);
  stream.lastLaunch.exchange(order);
  if (a.underWay.load() != 0 && mayWait)
    putBehindHashes(a, stream, handle);
  stream.work.store(true, std::memory_order_relaxed);
  return LaunchStamp::pack(order, stream.index);
}

void touchRange(Range &range, uint8_t access, uint64_t now, SiteIndex site) {
  touch(range, access, now, site);
}

void rememberCapture(LaunchCache &cache, uint64_t stream, const CallCapture &capture) {
  cache.capture = {stream, capture.number, capture.changes, nullptr, 0};
}

void stampLaunch(std::atomic<uint64_t> &place, uint64_t now) { stamp(place, now); }

void noteUnknownWork(ThreadState &thread, uint64_t handle, bool keeps, bool mayWait) {
  Auditor &a = auditor();
  StreamState &stream = streamOf(thread, handle);
  uint64_t order = a.ranges.launches.fetch_add(1) + 1;
  if (mayWait)
    stream.lastWaiting.store(order, std::memory_order_relaxed);
  stream.lastLaunch.exchange(order);
  // A library's streams are not known; its kernels wait for no host.
  if (!keeps && a.underWay.load() != 0)
    putBehindHashes(a, stream, handle);
  stream.work.store(true, std::memory_order_relaxed);
  noteUnknownAccess(LaunchStamp::pack(order, stream.index), keeps);
}

} // namespace gpuinstr::audit
