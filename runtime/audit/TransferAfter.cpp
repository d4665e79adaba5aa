// A copy or set, after the driver took it: the hash behind it, the tallies, what its source shows.
// SPDX-License-Identifier: Apache-2.0
#include "audit/HostHash.h"
#include "audit/Local.h"
#include "audit/Symbols.h"
#include "core/Clock.h"
#include "core/Driver.h"
#include "core/Governor.h"
#include "core/Hash.h"

namespace gpuinstr::audit {

using core::Call;
using core::Operation;
using core::Region;

namespace {

constexpr uint64_t UniformLeast = 65536; ///< smaller uploads are not worth a memset
constexpr uint64_t TwinLeast = 4096;     ///< duplicates of less are not worth telling
constexpr uint64_t ScanAlways = 1024, ScanFirst = 65536; ///< bytes searched for addresses
constexpr uint64_t ScanBytesPerNs = 10;

bool afford(const Auditor &a, uint64_t ns) { return a.full || core::governor().take(ns); }

template <class Visit> void eachRow(const Region &r, Visit visit) {
  for (uint64_t z = 0; z < r.slices; ++z)
    for (uint64_t y = 0; y < r.rows; ++y)
      visit(reinterpret_cast<const void *>(r.address + z * r.slicePitch + y * r.pitch), r.width);
}

/// The hash behind the copy; waited for where the call waits anyway.
void finishHashes(const Call &call, Transfer &t, Reading &reading, bool &arrived) {
  const Operation &o = call.operation;
  if (t.engine->enqueue(t.ticket, true, o.dst, o.stream) != Refusal::None) {
    t.verify = false;
    return;
  }
  if (!t.waits)
    return;
  if (!t.engine->finish(t.ticket, o.stream)) {
    t.verify = false;
    return;
  }
  reading = t.engine->read(t.ticket);
  arrived = reading.hasAfter;
}

void dropTicket(Transfer &t) {
  if (t.ticket)
    t.engine->release(t.ticket);
  t.ticket = 0;
}

bool isReadLater(Local &local, const Operation &o) {
  return (o.flags & GPUINSTR_SITE_ASYNC) && !hostPageable(local, o.src.address);
}

/// Addresses among the bytes: kernels may find them. Larger uploads are searched when they are new,
/// as far as that is cheap; what is not searched may hold any.
void searchAddresses(Auditor &a, Local &local, const Call &call, const Transfer &t) {
  const Operation &o = call.operation;
  bool first = t.key && !t.repeat;
  // Pinned memory is read when the stream gets there: what it holds now says nothing.
  bool later = isReadLater(local, o);
  bool readable = o.bytes <= (first ? ScanFirst : ScanAlways) && hostReadable(local, o.src.address);
  std::lock_guard<std::mutex> lock(a.mutex);
  if (!readable || later)
    a.ranges.leaveUnscanned();
  if (!readable)
    return;
  // Where the destination is no allocation, it is a variable: every kernel may read those.
  bool variable = !t.key || o.op == GPUINSTR_OP_COPY_SYMBOL;
  eachRow(o.src, [&](const void *row, uint64_t bytes) {
    a.ranges.eachAddressIn(row, bytes, [&](Range &range) {
      range.used.store(true);
      range.escaped.store(true);
      if (variable)
        range.global.store(true);
    });
  });
}

core::FindingKey adviceOf(const Call &call, core::Pattern pattern) {
  core::FindingKey key;
  key.pattern = pattern;
  key.grade = core::Grade::Advice;
  key.site = call.chargedSite;
  key.caller = call.caller;
  return key;
}

void lookForUniform(Auditor &a, Local &local, const Call &call, uint64_t ticks) {
  const Operation &o = call.operation;
  bool flat = o.src.rows == 1 && o.src.slices == 1;
  if (o.bytes < UniformLeast || !flat || isReadLater(local, o) ||
      !hostReadable(local, o.src.address))
    return;
  auto *data = reinterpret_cast<const char *>(o.src.address);
  constexpr uint64_t Head = 4096;
  if (!isUniform(data, Head) || !afford(a, o.bytes / ScanBytesPerNs) || !isUniform(data, o.bytes))
    return;
  std::lock_guard<std::mutex> lock(a.mutex);
  a.verdicts.add(adviceOf(call, core::Pattern::UniformUpload), 1, o.bytes, ticks);
}

void lookForPageable(Auditor &a, Local &local, const Call &call, const Transfer &t,
                     uint64_t ticks) {
  const Operation &o = call.operation;
  if (!(o.flags & GPUINSTR_SITE_ASYNC))
    return;
  uint64_t host = t.direction == Direction::HostToDevice   ? o.src.address
                  : t.direction == Direction::DeviceToHost ? o.dst.address
                                                           : 0;
  if (!hostPageable(local, host))
    return;
  std::lock_guard<std::mutex> lock(a.mutex);
  a.verdicts.add(adviceOf(call, core::Pattern::PageableAsync), 1, o.bytes, ticks);
}

void addOutcome(Tally &tally, const Transfer &t, uint64_t ticks) {
  ++tally.repeats;
  tally.ticks += ticks;
  tally.interfered += t.interfered;
}

void addAnswer(Auditor &a, Tally &tally, uint64_t bytes, bool unchanged) {
  ++tally.checked;
  tally.unchanged += unchanged;
  ++a.verdicts.figures.verified;
  a.verdicts.figures.verifiedBytes += bytes;
}

Tally &tallyOf(Key &key, Question question) {
  return question == Question::Round   ? key.round
         : question == Question::Again ? key.again
                                       : key.same;
}

uint64_t uploadKey(const Key &key) { return uint64_t(key.id.site) << 40 ^ key.id.bytes; }
uint64_t sourceKey(const Operation &o) { return core::hashMix(o.src.address, o.bytes); }

/// With the lock held: a repeat is counted, its answer taken or waited for.
void count(Auditor &a, Transfer &t, const Reading &reading, bool arrived, uint64_t ticks) {
  Key &key = *t.key;
  uint64_t bytes = key.id.bytes;
  bool judged =
      (t.repeat || t.question == Question::Again) && !t.isVoid && t.question != Question::Content;
  Tally &tally = tallyOf(key, t.question);
  if (judged) {
    addOutcome(tally, t, ticks);
    Figures &f = a.verdicts.figures;
    ++f.eligible;
    f.eligibleBytes += bytes;
  }
  key.hasContent = t.hasHash;
  key.content = t.hash;
  key.contentVersion = t.version;
  ++key.occurrences;
  if (t.checked) {
    if (judged)
      addAnswer(a, tally, bytes, t.unchanged);
  } else if (t.verify && t.ticket && !arrived) {
    Pending p;
    p.engine = t.engine;
    p.ticket = t.ticket;
    p.key = &key;
    p.question = t.question;
    p.version = t.version;
    p.occurrence = key.occurrences;
    p.expected = t.expected;
    p.stream = t.stream->index;
    a.pending.push_back(p);
    a.underWay.fetch_add(1);
    ++key.pending;
    t.ticket = 0;
  } else if (arrived) {
    a.answer(key, t.question, reading, t.expected, key.occurrences, t.version);
  } else if (judged && a.verifies) {
    ++a.verdicts.figures.skipped[unsigned(t.skip)];
  }
}

/// What later calls ask of this one. With the lock held.
void remember(Auditor &a, const Call &call, Transfer &t, uint64_t ticks) {
  Key &key = *t.key;
  key.version = t.version;
  key.notRun = t.notRun;
  bool writes = t.direction != Direction::DeviceToHost;
  key.unread = writes && !t.readerMayRun;
  key.readsThen = t.reads + key.copyReads;
  key.ticksThen = ticks;
  if (t.direction == Direction::HostToDevice && !t.repeat)
    ++a.uploads[uploadKey(key)].count;
  (void)call;
}

/// Another buffer that was filled from the same place: the device compares the two.
Key *findTwin(Auditor &a, const Call &call, const Transfer &t) {
  const Operation &o = call.operation;
  if (t.direction != Direction::HostToDevice || t.repeat || o.bytes < TwinLeast ||
      t.key->hostCanTouch)
    return nullptr;
  if (!t.key->range)
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

void compareTwins(Auditor &a, const Call &call, Transfer &t) {
  const Operation &o = call.operation;
  Region region;
  Key *twin;
  {
    std::lock_guard<std::mutex> lock(a.mutex);
    twin = a.verifies ? findTwin(a, call, t) : nullptr;
    if (!twin)
      return;
    region = twin->region;
    ++twin->pending; // held while the driver is asked
  }
  Engine *engine = EngineSource(false);
  Refusal why = Refusal::None;
  Ticket ticket = 0;
  bool asked = engine && afford(a, 2 * engine->estimateNs(o.bytes)) &&
               (ticket = engine->begin(why)) != 0 &&
               engine->enqueue(ticket, false, region, o.stream) == Refusal::None &&
               engine->enqueue(ticket, true, o.dst, o.stream) == Refusal::None;
  if (asked && t.waits)
    engine->finish(ticket, o.stream);
  if (!asked && ticket)
    engine->release(ticket);
  std::lock_guard<std::mutex> lock(a.mutex);
  --twin->pending;
  if (!asked)
    return;
  if (!t.key->range || !twin->range) { // freed meanwhile, by another thread
    engine->release(ticket);
    return;
  }
  t.key->twin = twin;
  twin->twinOf = t.key;
  t.key->twinVersion = twin->version;
  t.key->ownTwinVersion = t.version;
  Pending p;
  p.engine = engine;
  p.ticket = ticket;
  p.key = t.key;
  p.question = Question::Twin;
  p.stream = t.stream->index;
  a.pending.push_back(p);
  a.underWay.fetch_add(1);
  ++t.key->pending;
}

/// The first copy of a symbol: where it lies is known only now.
void startSymbol(Auditor &a, const Call &call, Transfer &t) {
  const Operation &o = call.operation;
  Range *dst = o.dst.address ? a.ranges.find(o.dst.address) : nullptr;
  Range *src = o.src.address ? a.ranges.find(o.src.address) : nullptr;
  t.key = findKey(a, call, t, dst, src);
  if (!t.key)
    return;
  ++t.key->pending;
  t.version = a.version(*t.key);
  t.readerMayRun = true;
}

void noteWork(Auditor &a, const Transfer &t) {
  a.transferSeen = true;
  // A blocking copy ends when all before it in its stream has.
  if (t.waits)
    a.streams.synced(*t.stream, t.order);
  else
    t.stream->work.store(true);
}

} // namespace

void Auditor::answer(Key &key, Question question, const Reading &reading,
                     const ContentHash &expected, uint64_t occurrence, uint64_t version) {
  bool pair = reading.hasBefore && reading.hasAfter;
  if (question == Question::Twin) {
    key.twinKnown = pair && reading.before == reading.after;
    return;
  }
  if (question == Question::Again && reading.hasAfter)
    addAnswer(*this, key.again, key.id.bytes, reading.after == expected);
  else if ((question == Question::Same || question == Question::Round) && pair)
    addAnswer(*this, tallyOf(key, question), key.id.bytes, reading.before == reading.after);
  if (reading.hasAfter && key.occurrences == occurrence &&
      key.direction != Direction::DeviceToHost) {
    key.hasContent = true;
    key.content = reading.after;
    key.contentVersion = version;
  }
}

void afterTransfer(const Call &decoded) {
  uint64_t ticks = core::ticks() - decoded.thread.root.start;
  Auditor &a = auditor();
  Local &local = localOf(decoded.thread);
  Transfer &t = local.transfer;
  if (!local.context) // the program's first call made it
    local.context = core::currentContext();
  Operation placed = decoded.operation;
  if (t.active && t.symbolUnknown && !decoded.failed)
    learnSymbol(placed, local.context, core::currentDevice());
  placeSymbol(placed, local.context);
  Call call = withOperation(decoded, placed);
  const Operation &o = call.operation;
  if (!t.stream)
    return; // a batch
  bool good = t.active && !call.failed;
  Reading reading;
  bool arrived = false;
  if (good && t.ticket)
    finishHashes(call, t, reading, arrived);
  if (good) {
    std::lock_guard<std::mutex> lock(a.mutex);
    noteWork(a, t);
    if (t.symbolUnknown && !t.key)
      startSymbol(a, call, t);
    if (t.key) {
      count(a, t, reading, arrived, ticks);
      remember(a, call, t, ticks);
    }
    if (!call.thread.paused && o.op != GPUINSTR_OP_PREFETCH)
      continueRow(local.row, call, uint8_t(t.direction), ticks, a.verdicts);
  }
  dropTicket(t);
  if (good && t.key)
    compareTwins(a, call, t);
  if (t.key) {
    std::lock_guard<std::mutex> lock(a.mutex);
    --t.key->pending;
    t.key->unread &= good;
  }
  if (good && t.direction == Direction::HostToDevice && o.src.address) {
    searchAddresses(a, local, call, t);
    if (!call.thread.paused)
      lookForUniform(a, local, call, ticks);
  }
  if (good && !call.thread.paused)
    lookForPageable(a, local, call, t, ticks);
  t = Transfer();
}

} // namespace gpuinstr::audit
