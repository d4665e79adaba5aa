// Uploads and sets that kernels wholly overwrite, unread.
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel writes is known by allocation, not by element. So some elements of what was sent
// are kept until the memory is downloaded: only if all of them are others by then, and only kernels
// came in between that write without reading, wherever memory holds what, is the upload for
// nothing.
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "calls/code/UnseenCode.h"
#include "cuda/DriverFacts.h"
#include "findings/Spelling.h"

namespace gpuinstr::audit {

namespace {

constexpr uint64_t SampleNs = 5000;
constexpr uint64_t LeastBytes = 1024, LeastInFull = 256;
/// Of a key, and of a line's uploads of one size to ever new buffers.
constexpr uint8_t SamplesOfKey = 3;
constexpr uint32_t SamplesOfLine = 16;
constexpr size_t LinesMost = 4096, KeptMost = 1024;

/// Of the elements that the allocation was made for; of what is not known, or no scalar, words.
unsigned elementBytes(const Range &range) {
  const gpuinstr_site *site = siteAt(range.site);
  std::string type = site && site->type ? site->type : "";
  uint64_t bytes = typeSize(type);
  bool isVector = !type.empty() && (type.back() == '2' || type.find("omplex") != type.npos);
  return bytes == 1 || bytes == 2 || (bytes == 8 && !isVector) ? unsigned(bytes) : 4;
}

uint64_t nsOf(uint64_t ticks) {
  static const double nsOfTick = nsPerTick();
  return uint64_t(double(ticks) * nsOfTick);
}

bool mayBeSampled(const Auditor &a, const Call &call, const Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  if (!a.verifies || !t.key || t.isVoid || call.thread.paused || !t.key->range)
    return false;
  bool isSet = t.work == DeviceWorkKind::Set;
  uint64_t least = a.full ? LeastInFull : LeastBytes;
  bool flat = o.dst.rows == 1 && o.dst.slices == 1;
  return flat && o.bytes >= least && !t.key->range->opaque && !t.key->hostCanTouch &&
         !t.readerMayRun && (isSet || t.direction == CopyDirection::HostToDevice);
}

bool affordSample(const Key &key) {
  return key.samples < SamplesOfKey ? overheadBudget().takeFirst(SampleNs)
                                    : overheadBudget().take(SampleNs);
}

/// With the lock held.
bool countLine(Auditor &a, const Key &key) {
  if (key.sample) // it has been counted
    return true;
  uint64_t line = uploadKey(key);
  bool isNew = a.sampled.find(line) == a.sampled.end();
  if ((isNew && a.sampled.size() >= LinesMost) || a.samplesKept >= KeptMost)
    return false;
  return a.sampled[line]++ < SamplesOfLine;
}

/// The line whose kernel is named. Of memory that no kernel had written before, it is the first one
/// that did: those behind it may have read what it left. Later occurrences keep the name, so that
/// they share the row; else the last one known.
SiteIndex overwriterOf(const Key &key) {
  const RangeUsers &users = key.range->users;
  if (key.sample && LaunchStamp::order(key.sample->writer) == 0)
    if (SiteIndex first = users.firstWriter())
      return first;
  return key.rewrittenAt ? key.rewrittenAt : users.lastWriter();
}

/// Where some elements are what they were, nobody knows whether the kernel left or wrote them.
void noteOverwritten(Auditor &a, Key &key, const SourceSample::Found &found) {
  key.unread = key.unread && !found.all();
  key.isPartly |= !found.all();
  if (!found.most())
    return;
  const FindingKey dead = found.all()
                              ? deadCopyOf(key, overwriterOf(key), Grade::Likely)
                              : deadCopyOf(key, key.range->users.lastWriter(), Grade::Advice);
  a.waste.add(dead, 1, key.id.bytes, key.ticksThen);
  if (key.sample)
    key.sample->occurrence = 0; // told once
  if (dead.grade == Grade::Advice)
    return;
  const bool isWhole = key.sample && uint64_t(found.looked) * key.sample->width >= key.id.bytes;
  a.waste.noteLook(dead, isWhole ? 0 : found.looked);
  key.rewrittenAt = dead.related;
  key.rewriteLooks += key.rewriteLooks < 2;
}

/// What that launch did came behind what the key's last occurrence brought.
bool isBehind(Auditor &a, const Key &key, uint64_t launch) {
  const StreamState *stream = a.streams.at(LaunchStamp::stream(launch)); // null: of several
  return stream && (key.sample->isDone || key.stream == stream ||
                    (key.stream && Streams::ordered(*key.stream, *stream)));
}

/// Kernels read it behind the one that wrote it, or none did, and copies alone have it.
bool isReadBehind(const SourceSample &sample, uint64_t writer, uint64_t reader) {
  if (reader == sample.reader)
    return sample.copyReadsBehind != 0;
  return LaunchStamp::order(reader) > LaunchStamp::order(writer) &&
         LaunchStamp::stream(reader) == LaunchStamp::stream(writer);
}

/// Read by later kernels or copies, but only once others had written it.
bool isRewritten(Auditor &a, const Key &key) {
  const Range &range = *key.range;
  const SourceSample *sample = key.sample.get();
  uint64_t writer = range.writer.load(), reader = range.reader.load();
  return sample && key.unread && sample->occurrence == key.occurrences &&
         sample->copyWrites == key.copyWrites &&
         sample->copyReads + sample->copyReadsBehind == key.copyReads &&
         key.notRun == cuda::kernelsNotRun() && !range.isMixed() &&
         range.irregular.load() == sample->irregular &&
         a.ranges.unseenUsesOf(range) == sample->unseenUses &&
         LaunchStamp::order(writer) != LaunchStamp::order(sample->writer) &&
         isReadBehind(*sample, writer, reader) && isBehind(a, key, writer);
}

/// What is known of the key's memory now, for the occurrence that ends.
void mark(Auditor &a, Key &key, SourceSample &sample) {
  Range &range = *key.range;
  sample.writer = range.writer.load();
  sample.irregular = range.irregular.load();
  sample.unseenUses = a.ranges.unseenUsesOf(range);
  sample.reader = range.reader.load();
  sample.copyReads = key.copyReads;
  sample.copyReadsBehind = 0;
  // Whatever kernels did with all of it before does not matter any more.
  if (key.lo == range.base && key.id.bytes == range.bytes && !Auditor::severalThreads.load()) {
    range.readBefore.store(sample.reader, std::memory_order_relaxed);
    range.use.store(RangeUse::Noted, std::memory_order_relaxed);
    range.writes.begin();
  } else {
    range.writes.forget();
  }
}

} // namespace

/// The second and some later one are looked at.
static bool wantsLook(const Key &key) {
  constexpr uint32_t First = 2, Second = 8;
  return !key.isPartly && ((key.rewriteLooks == 0 && key.rewrites >= First) ||
                           (key.rewriteLooks == 1 && key.rewrites >= Second));
}

void noteRewrite(Auditor &a, Key &key) {
  key.isRewritten = isRewritten(a, key);
  if (!key.isRewritten)
    return;
  key.hasRewrites = true;
  ++key.rewrites;
  key.rewriteTicks += key.ticksThen;
  if (wantsLook(key) && !a.rewritten.load(std::memory_order_relaxed))
    a.rewritten.store(&key);
}

/// By a copy.
static void noteRead(Range &range) {
  RangeUse use = range.use.load();
  if (use == RangeUse::Written)
    range.writes.forget();
  if (use != RangeUse::Mixed)
    range.use.store(RangeUse::Read);
}

void noteReadBehind(const Auditor &a, Key &key, const StreamState &stream, uint64_t times) {
  SourceSample *sample = key.sample.get();
  if (sample && key.range && !a.ranges.writerMayRun(*key.range, stream, a.streams) &&
      LaunchStamp::order(key.range->writer.load()) != LaunchStamp::order(sample->writer)) {
    sample->copyReadsBehind += times;
    noteRead(*key.range);
  }
}

void renewSample(Auditor &a, Key &key, bool hasSameValues, bool isDone) {
  SourceSample &sample = *key.sample;
  sample.isDone = isDone;
  sample.hasValues &= hasSameValues;
  mark(a, key, sample);
  sample.occurrence = key.occurrences;
  sample.copyWrites = key.copyWrites;
}

void sampleSource(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  local.sample.occurrence = 0;
  if (!mayBeSampled(a, call, t))
    return;
  bool isSet = t.work == DeviceWorkKind::Set;
  if (!isSet && (isReadLater(local, o) || !hostReadable(local, o.src.address)))
    return;
  unsigned width;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (!t.key->range || !countLine(a, *t.key))
      return;
    width = elementBytes(*t.key->range);
    mark(a, *t.key, local.sample);
  }
  if (o.bytes < width || (!isSet && !a.full && !affordSample(*t.key)))
    return;
  OwnCostScope cost(OwnConsumer::HostLooks);
  if (isSet) {
    local.sample.fill(o.slot(GPUINSTR_SLOT_KIND), std::min(std::max(o.detail, 1u), 4u), o.bytes,
                      width);
  } else {
    local.sample.take(reinterpret_cast<const char *>(o.src.address), o.bytes, width);
  }
  local.sample.occurrence = ~uint64_t(0);
}

void keepSample(Auditor &a, ThreadAuditState &local, Key &key) {
  if (local.sample.occurrence == 0) {
    if (key.sample && key.range)
      renewSample(a, key, false, local.transfer.waits);
    return;
  }
  if (!key.sample) {
    key.sample = std::make_unique<SourceSample>();
    key.hasSample = true;
    ++a.samplesKept;
  }
  *key.sample = local.sample;
  key.sample->occurrence = key.occurrences;
  key.sample->copyWrites = key.copyWrites;
  key.sample->hasValues = true;
  key.sample->isDone = local.transfer.waits;
  key.samples += key.samples < SamplesOfKey;
  local.sample.occurrence = 0;
}

void findOverwritten(Auditor &a, const Call &call, ThreadAuditState &local, const Transfer &t,
                     Range *src) {
  const cuda::Region &from = call.operands.src;
  local.overwrittenCount = 0;
  if (!src || !t.waits || t.direction != CopyDirection::DeviceToHost || from.rows != 1 ||
      from.slices != 1 || src->opaque || src->hostCanTouch())
    return;
  uint64_t lo = from.address, hi = lo + from.width;
  src->eachKey(lo, hi, [&](const KeyPlace &place) {
    Key *key = place.key;
    const SourceSample *sample = key->sample.get();
    if (place.lo < lo || place.hi > hi || !sample || !sample->hasValues || !key->unread ||
        sample->occurrence != key->occurrences || sample->copyWrites != key->copyWrites ||
        key->notRun != t.notRun ||
        (a.ranges.readsOf(*src) + key->copyReads != key->readsThen && !isRewritten(a, *key)) ||
        LaunchStamp::order(src->writer.load()) == LaunchStamp::order(sample->writer) ||
        src->irregular.load() != sample->irregular ||
        local.overwrittenCount >= ThreadAuditState::OverwrittenMost)
      return;
    ++key->pending; // held during the call
    local.overwritten[local.overwrittenCount++] = key;
  });
}

void judgeOverwritten(Auditor &a, const Call &call, ThreadAuditState &local) {
  if (local.overwrittenCount == 0)
    return;
  const cuda::Region &from = call.operands.src, &to = call.operands.dst;
  bool readable = !call.failed && hostReadable(local, to.address);
  std::lock_guard<AuditMutex> lock(a.mutex);
  for (unsigned i = 0; i < local.overwrittenCount; ++i) {
    Key &key = *local.overwritten[i];
    --key.pending;
    auto *data = reinterpret_cast<const char *>(to.address) + (key.lo - from.address);
    if (!readable || !key.range || !key.sample)
      continue;
    noteOverwritten(a, key, key.sample->lookAt(data, key.id.bytes));
    key.sample->occurrence = 0; // told once
  }
  local.overwrittenCount = 0;
}

namespace {

/// The device's element, hashed, is not the one that was sent.
bool differs(Auditor &a, const Call &call, uint64_t context, const cuda::Region &element,
             uint64_t sent, bool &answered, Transfer &all) {
  Transfer look;
  look.engine = all.engine;
  look.waits = look.early = true;
  look.lookBytes = element.width;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    look.stream = &a.streams.of(call.operands.stream, context, &call.thread);
  }
  EnqueueResult why = EnqueueResult::None;
  answered = answered && mayPlace(a, call, look) && (look.ticket = look.engine->begin(why)) != 0 &&
             place(a, call, look, true, element) == EnqueueResult::None && finishPlaced(call, look);
  bool other = false;
  if (answered) {
    Reading reading = look.engine->read(look.ticket);
    answered = reading.hasAfter;
    other = reading.after != hashHost(&sent, element.width);
  }
  endPlacing(a, call, look);
  all.waitedNs += look.waitedNs;
  return other;
}

bool isWorthLooks(Auditor &a, Key &key, uint64_t ns) {
  constexpr uint32_t Many = 2;
  if (key.rewrites >= Many && !key.countsRewrites()) // two stand for all that go alike
    return affordLook(a, key, ns) || overheadBudget().takeFirst(ns);
  return (a.full || 16 * nsOf(key.ticksThen) >= ns) && affordLook(a, key, ns);
}

/// Takes over the key's `pending`.
void lookAtElements(Auditor &a, const Call &call, ThreadAuditState &local, Key &key) {
  constexpr unsigned Looks = 16;
  const SourceSample sample = *key.sample;
  Transfer all;
  all.waits = true;
  all.engine = EngineSource(false);
  all.taken = all.engine ? Looks * all.engine->estimateNs(sample.width) : 0;
  bool isPaid = all.engine && sample.count >= Looks && isWorthLooks(a, key, all.taken);
  bool answered = isPaid;
  uint64_t begin = monotonicNs();
  SourceSample::Found found;
  for (unsigned i = 0; i < Looks && answered; ++i) {
    // Some at either end, the rest between.
    unsigned n = sample.count, which = 2 + (i - 2) * (n - 4) / (Looks - 4);
    which = i < 2 ? i : i >= Looks - 2 ? n - (Looks - i) : which;
    cuda::Region element;
    element.address = key.lo + SourceSample::place(which, n, sample.width, key.id.bytes);
    element.width = sample.width;
    found.add(differs(a, call, local.context, element, sample.values[which], answered, all),
              sample.isInner(which));
  }
  if (isPaid)
    chargeLook(a, local, all, monotonicNs() - begin);
  std::lock_guard<AuditMutex> lock(a.mutex);
  --key.pending;
  if (answered && key.range)
    noteOverwritten(a, key, found);
}

} // namespace

/// With the lock held. Nothing is under way: no look waits for anything but itself.
static bool mayLookNow(const Auditor &a, const ThreadAuditState &local, const Range &range) {
  return a.verifies && !range.opaque && !range.hostCanTouch() && !a.collectives.load() &&
         range.context == local.context && !unseenCodeUsesCuda() &&
         a.streams.quietIn(local.context);
}

void lookAtRewritten(Auditor &a, const Call &call, ThreadAuditState &local, Key &key) {
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (!wantsLook(key) || !key.isRewritten || !key.sample || !key.sample->hasValues ||
        !key.range || !mayLookNow(a, local, *key.range))
      return;
    ++key.pending;
  }
  const uint8_t before = key.rewriteLooks;
  lookAtElements(a, call, local, key);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (key.rewriteLooks == before || key.rewrites == 0) // forgotten meanwhile
    return;
  --key.rewrites; // it was counted by the look
  key.rewriteTicks -= std::min(key.rewriteTicks, key.ticksThen);
}

void lookAtRewritten(Auditor &a, const Call &call, ThreadAuditState &local) {
  Key *key;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    key = a.rewritten.exchange(nullptr);
    // This occurrence has not been counted yet: the look does.
    if (!key || !wantsLook(*key) || !isRewritten(a, *key) || !key->sample->hasValues ||
        !mayLookNow(a, local, *key->range))
      return;
    ++key->pending;
  }
  lookAtElements(a, call, local, *key);
}

void lookAtOverwritten(Auditor &a, const Call &call, ThreadAuditState &local) {
  constexpr size_t MostAtOnce = 4;
  std::vector<Key *> keys;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    const Range *range = local.freeing;
    if (!a.samplesKept || !range || range->keys.empty())
      return;
    if (call.operands.resource == GPUINSTR_RES_ASYNC || !mayLookNow(a, local, *range))
      return;
    for (const KeyPlace &place : range->keys)
      if (keys.size() < MostAtOnce && isRewritten(a, *place.key) && place.key->sample->hasValues) {
        ++place.key->pending;
        keys.push_back(place.key);
      }
  }
  for (Key *key : keys)
    lookAtElements(a, call, local, *key);
}

} // namespace gpuinstr::audit
