// What a copy's source shows: equal elements, addresses, ordinary memory; and buffers filled twice.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/HashScheduling.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "calls/code/UnseenCode.h"
#include <cstring>
#include <optional>

namespace gpuinstr::audit {

bool isReadLater(ThreadAuditState &local, const cuda::CallOperands &o) {
  return (o.flags & GPUINSTR_SITE_ASYNC) && !hostPageable(local, o.src.address);
}

namespace {

/// Of a line's uploads of one size, so many are searched as a whole; then places of them.
constexpr uint32_t UniformLooks = 3;
/// ... and where the first ones are too large for the budget, or take longer to search than the
/// copy itself took, so many places. Up to so many bytes the search is shorter than that of the
/// places.
constexpr uint64_t ScanShort = 4 << 20;
constexpr uint64_t Places = 64, ManyPlaces = 4096, ManyPlacesNs = 400000;
constexpr uint64_t TwinLeast = 4096; ///< duplicates of less are not worth telling
/// Bytes searched for addresses: the first time; the first time within the budget.
constexpr uint64_t ScanFirst = 65536, ScanDear = 4 << 20;
constexpr uint64_t ScanBytesPerNs = 10;

template <class Visit> void eachRow(const cuda::Region &r, Visit visit) {
  for (uint64_t z = 0; z < r.slices; ++z)
    for (uint64_t y = 0; y < r.rows; ++y)
      visit(reinterpret_cast<const void *>(r.address + z * r.slicePitch + y * r.pitch), r.width);
}

/// The first looks at a line: from the purse that these have.
bool affordFirst(const Auditor &a, uint64_t ns) { return a.full || overheadBudget().takeFirst(ns); }

/// The search for addresses. Where a line makes its buffers anew, the first ones are searched from
/// the purse and the others as the budget allows: else a short run would spend most of it there.
bool affordSearch(const Auditor &a, const Transfer &t, uint64_t ns) {
  constexpr uint8_t LooksOfFirst = 6; // at three buffers
  const bool isLater = t.key && t.key->isAnew && t.key->firstLooks >= LooksOfFirst;
  return isLater ? afford(a, ns) : affordFirst(a, ns);
}

/// Whether who finds its address in itself had to have it before. Of memory whose uses all count.
bool isHidden(const Range &range) {
  return range.isDevice() && !range.opaque && !range.variable && !range.hostCanTouch() &&
         range.usage.serial == range.serial;
}

/// Addresses among the bytes: kernels may find them. Larger uploads are searched when they are new,
/// as far as that is cheap; what is not searched may hold any.
void searchAddresses(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  bool first = t.key && !t.repeat;
  // Where the destination is no allocation, it is a variable: every kernel may read those.
  const bool isVariable = !t.key || t.toVariable;
  if (t.key && t.repeat && o.bytes > ScanAlways && a.ranges.unscanned.load() && !isVariable)
    return; // any address may lie anywhere already
  // Pinned memory is read when the stream gets there: what it holds now says nothing.
  bool later = isReadLater(local, o);
  bool isCheap = o.bytes <= (first ? ScanFirst : ScanAlways);
  bool readable = (isCheap || (first && o.bytes <= ScanDear && !a.ranges.unscanned.load() &&
                               affordSearch(a, t, o.bytes / ScanBytesPerNs))) &&
                  hostReadable(local, o.src.address) && hostIsStillOpen(o.src);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (!readable || later)
    leaveUnsearched(a, o, t, isVariable ? nullptr : t.key->range);
  if (!readable)
    return;
  std::optional<OwnCostScope> cost;
  if (o.bytes > ScanAlways) // of small ones, looking at the clock would be the dearer part
    cost.emplace(OwnConsumer::Addresses);
  uint32_t half = 0;
  if (o.src.width == sizeof half)
    std::memcpy(&half, reinterpret_cast<const void *>(o.src.address), sizeof half);
  notePossibleHalf(a, t, o.dst, half);
  bool found = false;
  eachRow(o.src, [&](const void *row, uint64_t bytes) {
    a.ranges.eachAddressIn(row, bytes, [&](Range &range) {
      if (!isVariable && &range == t.key->range && isHidden(range))
        Ranges::noteNamesItself(range);
      else
        a.ranges.noteNamed(range, isVariable);
      found = true;
    });
  });
  if (found)
    a.ranges.noteHolder(isVariable ? nullptr : t.key->range);
}

/// 0: none
uint64_t hostSide(const cuda::CallOperands &o, const Transfer &t) {
  return t.direction == CopyDirection::HostToDevice   ? o.src.address
         : t.direction == CopyDirection::DeviceToHost ? o.dst.address
                                                      : 0;
}

FindingKey adviceOf(const Call &call, Pattern pattern) {
  FindingKey key;
  key.pattern = pattern;
  key.grade = Grade::Advice;
  key.site = call.chargedSite;
  key.caller = call.caller;
  return key;
}

/// What a look at an upload whose head is uniform says of the rest.
struct UniformLook {
  bool isUniform = false, isOfPlaces = false;
  uint64_t others = 0; ///< words, where all were looked at
};
UniformLook lookAtAll(const Auditor &a, const UniformPattern &pattern, const char *data,
                      uint64_t bytes, uint64_t copyNs) {
  UniformLook look;
  const uint64_t scanNs = bytes / ScanBytesPerNs;
  const bool isWorthIt = a.full || bytes <= ScanShort || scanNs <= copyNs;
  if (isWorthIt && affordFirst(a, scanNs)) {
    look.others = pattern.others(data, bytes);
    look.isUniform = look.others <= UniformPattern::Few;
  } else if (affordFirst(a, ManyPlacesNs)) {
    look.isOfPlaces = true;
    look.isUniform = pattern.isAlike(data, bytes, ManyPlaces);
  }
  return look;
}

void lookForUniform(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t,
                    uint64_t ticks) {
  const cuda::CallOperands &o = call.operands;
  bool flat = o.src.rows == 1 && o.src.slices == 1;
  if (o.bytes < UniformLeast || !flat ||
      (t.source != PinnedBytes::Settled && isReadLater(local, o)) ||
      !hostReadable(local, o.src.address))
    return;
  auto *data = reinterpret_cast<const char *>(o.src.address);
  UniformPattern pattern;
  if (!pattern.find(data))
    return;
  bool isKnown;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    isKnown = a.uniformLooks[hashMix(call.chargedSite, o.bytes)]++ >= UniformLooks;
  }
  OwnCostScope cost(OwnConsumer::EqualElements);
  UniformLook look;
  if (isKnown)
    look.isUniform = pattern.isAlike(data, o.bytes, Places);
  else if (hostIsStillOpen(o.src))
    look = lookAtAll(a, pattern, data, o.bytes, uint64_t(double(ticks) * nsPerTick()));
  if (!look.isUniform)
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (t.key) {
    t.key->isUniform = true;
    t.key->isFill = look.others == 0 && pattern.wordBytes() <= 4;
  }
  a.waste.add(adviceOf(call, Pattern::UniformUpload), 1, o.bytes, ticks);
  a.waste.noteUniform(adviceOf(call, Pattern::UniformUpload), look.others, pattern.wordBytes(),
                      look.isOfPlaces);
}

/// Thrust's copies are done when the call returns, whatever it makes them of.
static bool isOfThrust(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  return site && site->op == GPUINSTR_OP_REGION && std::strncmp(site->callee, "thrust::", 8) == 0;
}

/// Whether lookForPageable() counts it.
bool isPageableAsync(ThreadAuditState &local, const Call &call, const Transfer &t) {
  constexpr uint64_t LeastBytes =
      4096; // a result that is waited for, pinned memory makes no faster
  const cuda::CallOperands &o = call.operands;
  return (o.flags & GPUINSTR_SITE_ASYNC) && o.bytes >= LeastBytes &&
         hostPageable(local, hostSide(o, t)) && !isOfThrust(call.chargedSite);
}

void lookForPageable(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t,
                     uint64_t ticks) {
  if (!isPageableAsync(local, call, t))
    return;
  const FindingKey advice = adviceOf(call, Pattern::PageableAsync);
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.waste.add(advice, 1, call.operands.bytes, ticks);
  a.waste.noteDirection(advice, t.direction == CopyDirection::HostToDevice
                                    ? TransferDirection::HostToDevice
                                    : TransferDirection::DeviceToHost);
}

uint64_t sourceKey(const cuda::CallOperands &o) { return hashMix(o.src.address, o.bytes); }

/// Another buffer that was filled from the same place: the device compares the two.
Key *findTwin(Auditor &a, const Call &call, const Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  if (t.direction != CopyDirection::HostToDevice || t.repeat || o.bytes < TwinLeast ||
      t.key->hostCanTouch || t.key->isOfVariable)
    return nullptr;
  if (!t.key->range || t.key->sourceKey) // or it is another thread's first transfer, too
    return nullptr;
  t.key->sourceKey = sourceKey(o);
  Key *&last = a.bySource[t.key->sourceKey];
  Key *other = last;
  last = t.key;
  if (!other || other == t.key || !other->range || other->range == t.key->range ||
      other->twinAsked || other->id.bytes != o.bytes || other->hostAddress != o.src.address ||
      other->range->device != t.key->range->device ||
      other->range->context != t.key->range->context || other->occurrences != 1 ||
      a.version(*other) != other->version ||
      a.ranges.writerMayRun(*other->range, *t.stream, a.streams) || t.stream->dependent.load() ||
      a.streams.othersMayRun(*t.stream) || (!t.waits && a.sideBySide.load()))
    return nullptr;
  other->twinAsked = true;
  return other;
}

void rememberTwins(Auditor &a, Transfer &t, Key &twin, Transfer &pair, bool asked) {
  std::lock_guard<AuditMutex> lock(a.mutex);
  --twin.pending;
  if (!asked || !t.key->range || !twin.range) // freed meanwhile, by another thread
    return;
  t.key->twin = &twin;
  twin.twinOf = t.key;
  t.key->twinVersion = twin.version;
  t.key->ownTwinVersion = t.version;
  Pending p;
  p.engine = pair.engine;
  p.ticket = pair.ticket;
  p.key = t.key;
  p.question = Question::Twin;
  p.stream = t.stream->index;
  handOver(a, pair, p);
  a.pending.push_back(p);
  ++t.key->pending;
}

} // namespace

void compareTwins(Auditor &a, const Call &call, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  cuda::Region region;
  Key *twin;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    twin = a.verifies ? findTwin(a, call, t) : nullptr;
    if (!twin)
      return;
    region = twin->region;
    ++twin->pending; // held while the driver is asked
  }
  Transfer pair;
  pair.stream = t.stream;
  pair.waits = t.waits;
  pair.engine = EngineSource(false);
  pair.stranger = twin;
  EnqueueResult why = EnqueueResult::None;
  bool asked = pair.engine && mayPlace(a, call, pair) &&
               afford(a, 2 * pair.engine->estimateNs(o.bytes)) &&
               (pair.ticket = pair.engine->begin(why)) != 0 &&
               place(a, call, pair, false, region) == EnqueueResult::None &&
               place(a, call, pair, true, o.dst) == EnqueueResult::None;
  if (asked && t.waits)
    finishPlaced(call, pair);
  rememberTwins(a, t, *twin, pair, asked);
  endPlacing(a, call, pair);
}

SourceLook lookOf(ThreadAuditState &local, const Call &call, const Transfer &t, BriefLook &brief) {
  const cuda::CallOperands &o = call.operands;
  const bool isUpload = t.direction == CopyDirection::HostToDevice && o.src.address;
  const bool isLater = isUpload && isReadLater(local, o);
  brief.searches = isUpload && (o.bytes <= ScanAlways || t.toVariable);
  brief.mayBeUniform = isUpload && o.bytes >= UniformLeast && !isLater;
  brief.isPageable = isPageableAsync(local, call, t);
  brief.needsUnscanned = isUpload && (isLater || !brief.searches);
  if (!brief.searches && !brief.mayBeUniform && !brief.isPageable)
    return isUpload ? SourceLook::UnlessUnscanned : SourceLook::Never;
  const bool isPlain = o.op == GPUINSTR_OP_COPY && !t.toVariable && t.key &&
                       (!isUpload || hostReadable(local, o.src.address)) &&
                       !(brief.isPageable && unseenCodeUsesCuda()); // hostPageable()
  return isPlain ? SourceLook::Briefly : SourceLook::Always;
}

void lookAtSource(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t,
                  uint64_t ticks) {
  bool upload = t.direction == CopyDirection::HostToDevice && call.operands.src.address;
  if (upload)
    searchAddresses(a, local, call, t);
  if (call.thread.paused)
    return;
  if (upload)
    lookForUniform(a, local, call, t, ticks);
  lookForPageable(a, local, call, t, ticks);
}

} // namespace gpuinstr::audit
