// When the device had surely nothing to do, and between which lines.
// SPDX-License-Identifier: Apache-2.0
//
// A drain is a call after which the device is idle: cudaDeviceSynchronize always; where all work
// goes to one stream also the wait for a stream, and a download that blocks. The gap ends with the
// next outermost call. Allocations and frees give the device nothing to do: their own time is idle,
// and the gap goes on behind them.
#include "time/idle/IdleGaps.h"
#include "base/Clock.h"
#include "base/HotCode.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/budget/WatchWindows.h"
#include "calls/threads/Recording.h"
#include "time/sampled/TimedStreams.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

namespace gpuinstr::timing {

using profile::IdleCause;

namespace {

/// Between two lines; of allocations both are the same.
struct GapKey {
  IdleCause cause;
  SiteIndex from, to;
  bool oneStream; ///< holds only if all work went to one stream
  bool operator<(const GapKey &other) const {
    return std::tie(cause, from, to, oneStream) <
           std::tie(other.cause, other.from, other.to, other.oneStream);
  }
  bool operator==(const GapKey &other) const {
    return cause == other.cause && from == other.from && to == other.to &&
           oneStream == other.oneStream;
  }
};

/// Counted without a lock or a read-modify-write: of several threads nothing is reported, and of
/// one nothing is lost.
struct alignas(64) Gap {
  explicit Gap(const GapKey &pair) : key(pair) {}
  const GapKey key;
  Relaxed<uint64_t> count, ticks;
};

/// Pairs of lines beyond it are not told apart from one another, and so are nobody's.
constexpr std::size_t MostGaps = 1024;

std::mutex GapsLock;
std::map<GapKey, Gap> &gaps() {
  static auto *all = new std::map<GapKey, Gap>; // leaked: used during exit
  return *all;                                  // never smaller: the recent ones point into it
}

/// The gap of the last key that fell on a slot, so that a loop takes no lock.
constexpr std::size_t Slots = 64;
GPUINSTR_HOT_DATA std::atomic<Gap *> Recent[Slots];

std::atomic<Gap *> &slotOf(const GapKey &key) {
  auto from = static_cast<uint64_t>(key.from), to = static_cast<uint64_t>(key.to);
  return Recent[(from * 7 + to + static_cast<uint64_t>(key.cause) * 31) % Slots];
}

/// Null: too many.
Gap *findGap(const GapKey &key) {
  std::lock_guard<std::mutex> hold(GapsLock);
  auto found = gaps().find(key);
  if (found == gaps().end()) {
    if (gaps().size() >= MostGaps)
      return nullptr;
    found = gaps().try_emplace(key, key).first;
  }
  return &found->second;
}

GPUINSTR_HOT void addGap(ThreadState &thread, const GapKey &key, uint64_t ticks) {
  const uint64_t unseen = unseenLike(thread), count = 1 + unseen;
  thread.idleTicks[key.oneStream] += count * ticks;
  std::atomic<Gap *> &slot = slotOf(key);
  Gap *gap = slot.load(std::memory_order_acquire);
  if (!gap || !(gap->key == key)) {
    BusyScope busy(thread); // of an allocator that is instrumented
    gap = findGap(key);
    if (!gap)
      return;
    slot.store(gap, std::memory_order_release);
  }
  gap->count += count;
  gap->ticks += count * ticks;
}

constexpr uint64_t Blocking =
    opBit(GPUINSTR_OP_SYNC_DEVICE) | opBit(GPUINSTR_OP_SYNC_STREAM) | opBit(GPUINSTR_OP_COPY);
constexpr uint64_t Harmless = opBit(GPUINSTR_OP_ALLOC) | opBit(GPUINSTR_OP_FREE);

/// Whether the device is idle when this call is back, if all its work goes to one stream.
bool drains(const Call &call) {
  switch (call.operands.op) {
  case GPUINSTR_OP_SYNC_DEVICE:
  case GPUINSTR_OP_SYNC_STREAM:
    return true;
  case GPUINSTR_OP_COPY:
    return !(call.operands.flags & GPUINSTR_SITE_ASYNC) &&
           call.operands.direction == cuda::CopyDirection::DeviceToHost;
  default:
    return false;
  }
}

/// The device has nothing to do when the outermost call is back.
void beginDrain(ThreadState &thread, bool isOneStream) {
  if (goUnseen())
    return; // what ends it need not be seen
  thread.drainedTicks = thread.root.end;
  thread.drainedBy = thread.root.site;
  thread.drainedOneStream = isOneStream;
}

/// A wait that comes again and again.
GPUINSTR_HOT void drainShortly(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  beginDrain(thread, frame.site->op != GPUINSTR_OP_SYNC_DEVICE);
  thread.fastPath = thread.drainedTicks ? FastPath::Drained : FastPath::None;
}
GPUINSTR_HOT_DATA ShortLook Drains = {[](ThreadState &, const gpuinstr_frame &) { return true; },
                                      drainShortly};

/// An allocation or free while the device had nothing to do.
GPUINSTR_HOT void continueDrain(ThreadState &thread) {
  const SiteIndex site = thread.root.site;
  uint64_t now = thread.root.end, start = thread.root.start;
  addGap(thread, {IdleCause::Allocation, site, site, thread.drainedOneStream},
         now > start ? now - start : 0);
  thread.drainedTicks = now; // the line that waited stays
}

class IdleObserver final : public Observer {
public:
  IdleObserver() : Observer(0, Blocking | Harmless) {}

  GPUINSTR_HOT void after(const Call &call) override {
    ThreadState &thread = call.thread;
    if (thread.depth || thread.paused || call.failed) // not the outermost call
      return;
    if (opBit(call.operands.op) & Harmless) {
      if (thread.stillDrained)
        continueDrain(thread);
      return;
    }
    if (drains(call))
      beginDrain(thread, call.operands.op != GPUINSTR_OP_SYNC_DEVICE);
  }

  /// What allocations do is drainGoesOn's.
  const ShortLook *shortLook(const gpuinstr_site &site) const override {
    if (site.op == GPUINSTR_OP_SYNC_STREAM || site.op == GPUINSTR_OP_SYNC_DEVICE)
      return &Drains;
    if (site.op != GPUINSTR_OP_COPY)
      return isPlainMemory(site) ? &NoLook : nullptr;
    constexpr uint32_t DrainsNothing = GPUINSTR_SITE_ASYNC | GPUINSTR_SITE_DEVICE_DST;
    return site.flags & DrainsNothing ? &NoLook : &LookWhereBlocked;
  }
};

GPUINSTR_HOT void drainByDownload(ThreadState &thread, const gpuinstr_frame &frame) {
  if (cuda::directionOf(*frame.site, frame.slot[GPUINSTR_SLOT_KIND]) ==
      cuda::CopyDirection::DeviceToHost)
    drainShortly(thread, frame, 0);
}

/// The next outermost call begins.
GPUINSTR_HOT void endDrain(ThreadState &thread) {
  uint64_t now = ticks();
  addGap(thread, {IdleCause::Host, thread.drainedBy, thread.root.site, thread.drainedOneStream},
         now > thread.drainedTicks ? now - thread.drainedTicks : 0);
}

} // namespace

void addIdleObserver() {
  static IdleObserver *observer = new IdleObserver; // leaked: used during exit
  addObserver(*observer);
  Hooks.drainEnded = endDrain;
  Hooks.copyBlocked = drainByDownload;
  Hooks.drainGoesOn = [](ThreadState &thread) {
    thread.fastPath = FastPath::Drained; // whatever comes of the rest
    continueDrain(thread);
  };
}

IdleKnown idleKnown(const profile::Profile &profile) {
  if (profile.devices.size() != 1 || threadsWithCalls() != 1)
    return IdleKnown::No;
  for (const profile::Image &image : profile.coverage.images)
    if (!image.instrumented)
      return IdleKnown::No; // it may have used the device
  return severalStreamsTimed(profile.devices[0].ordinal) ? IdleKnown::BehindDeviceWaits
                                                         : IdleKnown::All;
}

void fillIdleGaps(profile::Profile &profile, ListedSites &sites) {
  IdleKnown known = idleKnown(profile);
  if (known == IdleKnown::No)
    return;
  bool several = known == IdleKnown::BehindDeviceWaits;
  std::map<std::tuple<IdleCause, std::string, std::string>, profile::IdleGap> byLine;
  {
    std::lock_guard<std::mutex> hold(GapsLock);
    for (const auto &[key, gap] : gaps()) {
      if (!gap.count || (key.oneStream && several) || isHiddenSite(key.from) ||
          isHiddenSite(key.to))
        continue;
      std::string from = sites.idOf(key.from), to = sites.idOf(key.to);
      profile::IdleGap &out = byLine[{key.cause, from, to}];
      out.cause = key.cause;
      out.from = std::move(from);
      out.to = std::move(to);
      out.count += gap.count;
      out.ns += static_cast<uint64_t>(static_cast<double>(uint64_t(gap.ticks)) * nsPerTick());
    }
  }
  std::vector<profile::IdleGap> &list = profile.breakdown.idle;
  for (auto &entry : byLine)
    list.push_back(std::move(entry.second));
  std::stable_sort(list.begin(), list.end(),
                   [](const auto &a, const auto &b) { return a.ns > b.ns; });
  constexpr std::size_t MostListed = 64;
  if (list.size() > MostListed)
    list.resize(MostListed);
}

void lockIdleGaps() { GapsLock.lock(); }
void unlockIdleGaps() { GapsLock.unlock(); }

void clearIdleGaps() {
  std::lock_guard<std::mutex> hold(GapsLock);
  for (auto &entry : gaps())
    entry.second.count = 0, entry.second.ticks = 0;
}

} // namespace gpuinstr::timing
