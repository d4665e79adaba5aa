// Which kernels may still be running, and which are known to be done or put before a copy.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/Streams.h"
#include "base/HotCode.h"
#include <algorithm>
#include <tuple>

namespace gpuinstr::audit {

GPUINSTR_HOT_DATA AuditHotState AuditHot;

namespace {
constexpr uint64_t LegacyHandle = 1, PerThreadHandle = 2;

void advance(std::unordered_map<uint16_t, uint64_t> &after, uint16_t stream, uint64_t order) {
  uint64_t &known = after[stream];
  known = std::max(known, order);
}
} // namespace

StreamState &Streams::make(uint64_t handle, uint64_t context, const void *thread) {
  // What a destroyed stream left running keeps its place until it is known to be done. Copies may
  // never be waited for by a call that shows it: where many are left, they become the new one's.
  constexpr size_t Many = 64;
  StreamState *state = nullptr;
  for (StreamState &old : All)
    if (old.destroyed && old.last() <= old.done && old.waiting == 0 && !old.captured &&
        (!old.work.load() || (All.size() >= Many && old.context == context)))
      state = &old;
  if (!state && All.size() < LaunchStamp::Several) {
    All.emplace_back();
    state = &All.back();
    state->index = uint16_t(All.size() - 1);
    Count.store(uint32_t(All.size()));
  }
  if (!state) { // thousands of streams: the rest share one, of which nothing is known
    state = &All.back();
    state->blocking = false;
    state->context = 0;
    return *state;
  }
  state->handle = handle;
  state->context = context;
  state->thread = thread;
  state->legacy = handle <= LegacyHandle;
  state->blocking = handle <= PerThreadHandle;
  state->destroyed = false;
  state->dependent.store(false);
  state->forgetOthers();
  return *state;
}

StreamState &Streams::of(uint64_t handle, uint64_t context, const void *thread) {
  if (handle == LegacyHandle)
    handle = 0;
  if (!context)
    context = OnlyContext;
  std::tuple<uint64_t, uint64_t, const void *> key{handle, handle <= PerThreadHandle ? context : 0,
                                                   handle == PerThreadHandle ? thread : nullptr};
  StreamState *&state = ByHandle[key];
  // The program's first call came before there was a context: it was for the one that came up.
  auto early = context ? ByHandle.find({handle, 0, std::get<2>(key)}) : ByHandle.end();
  if (!state && handle <= PerThreadHandle && early != ByHandle.end()) {
    state = early->second;
    state->context = context;
    ByHandle.erase(early);
  }
  if (!state)
    state = &make(handle, context, std::get<2>(key));
  return *state;
}

StreamState *Streams::at(uint16_t index) { return index < All.size() ? &All[index] : nullptr; }

void Streams::created(uint64_t handle, uint64_t context, bool nonBlocking) {
  if (handle <= PerThreadHandle)
    return;
  destroyed(handle); // by code that we do not see
  StreamState &state = of(handle, context, nullptr);
  state.blocking = !nonBlocking;
}

void Streams::destroyed(uint64_t handle) {
  auto it = ByHandle.find({handle, 0, nullptr});
  if (handle <= PerThreadHandle || it == ByHandle.end())
    return;
  it->second->destroyed = true;
  ByHandle.erase(it);
  generation.fetch_add(1, std::memory_order_release);
}

void Streams::threadEnded(const void *thread) {
  for (auto it = ByHandle.lower_bound({PerThreadHandle, 0, nullptr});
       it != ByHandle.end() && std::get<0>(it->first) == PerThreadHandle;) {
    const bool isIts = std::get<2>(it->first) == thread;
    it->second->destroyed |= isIts;
    it = isIts ? ByHandle.erase(it) : std::next(it);
  }
}

bool Streams::ordered(const StreamState &earlier, const StreamState &later) {
  if (&earlier == &later)
    return true;
  if (earlier.context != later.context)
    return false;
  return (earlier.legacy && later.blocking) || (later.legacy && earlier.blocking);
}

bool Streams::mayBeOnTheirWay() const {
  const uint64_t early = EarlyUpload.load(std::memory_order_relaxed);
  if (!early || early != Puts.load(std::memory_order_relaxed))
    return false;
  return std::any_of(All.begin(), All.end(), [&](const StreamState &other) {
    return !other.destroyed && !ordered(*EarlyIn, other);
  });
}

GPUINSTR_HOT uint64_t Streams::put(StreamState &stream) {
  uint64_t number = count();
  // In this order: waitedFor() looks for the one once it has cleared the other.
  stream.lastPut.store(number, std::memory_order_release);
  stream.work.store(true, std::memory_order_release);
  return number;
}

void Streams::writesHost(StreamState &stream, uint64_t lo, uint64_t hi) {
  bool isFirst = stream.hostPut <= stream.putsDone.load();
  stream.hostLo = isFirst ? lo : std::min(stream.hostLo, lo);
  stream.hostHi = isFirst ? hi : std::max(stream.hostHi, hi);
  stream.hostPut = put(stream);
}

bool Streams::hostWriteMayRun(const StreamState &stream, uint64_t lo, uint64_t hi,
                              bool ofAny) const {
  for (const StreamState &other : All)
    if (other.hostPut > other.putsDone.load() && lo < other.hostHi && other.hostLo < hi &&
        (ofAny || !ordered(other, stream)))
      return true;
  return false;
}

void Streams::synced(StreamState &stream, Moment upTo) {
  stream.waitedFor(upTo);
  if (stream.legacy)
    for (StreamState &other : All)
      if (&other != &stream && ordered(other, stream))
        other.waitedFor(upTo);
  for (auto &[index, order] : stream.after)
    if (StreamState *other = at(index))
      other->ended(std::min(std::min(order, upTo.launches), other->last()));
}

void Streams::syncedContext(uint64_t context, Moment upTo) {
  for (StreamState &s : All)
    if (s.context == context)
      s.waitedFor(upTo);
}

GPUINSTR_HOT Streams::Recorded *Streams::find(uint64_t event) const {
  Recent &recent = recentAt(event);
  if (__builtin_expect(recent.event == event && recent.recorded, true))
    return recent.recorded;
  auto it = Events.find(event);
  if (it == Events.end())
    return nullptr;
  recent = {event, const_cast<Recorded *>(&it->second)}; // stays where it is until it is erased
  return recent.recorded;
}

Streams::Recorded &Streams::findOrMake(uint64_t event) {
  Recorded *known = find(event);
  return known ? *known : Events[event];
}

void Streams::eventGone(uint64_t event) {
  if (Recent &recent = recentAt(event); recent.event == event)
    recent = Recent();
  Events.erase(event);
}

void Streams::forgetEvents() {
  std::fill(std::begin(RecentEvents), std::end(RecentEvents), Recent());
  Events.clear();
}

__attribute__((noinline)) void Streams::copyOthers(Recorded &to, const StreamState &from) {
  to.after = from.after;
  to.afterHashes = from.afterHashes;
  to.bringsOthers = !to.after.empty() || !to.afterHashes.empty();
}

GPUINSTR_HOT void Streams::recorded(uint64_t event, StreamState &stream) {
  Recorded &r = findOrMake(event);
  r.stream = &stream;
  r.order = stream.last();
  r.puts = Puts.load(std::memory_order_relaxed);
  r.hashes = stream.hashes;
  if (__builtin_expect(r.bringsOthers || stream.bringsOthers.load(std::memory_order_relaxed) ||
                           stream.bringsHashes,
                       false))
    copyOthers(r, stream);
}

bool Streams::waited(StreamState &stream, uint64_t event) {
  const Recorded *r = find(event);
  if (!r)
    return false;
  stream.bringsOthers.store(true);
  advance(stream.after, r->stream->index, r->order);
  for (auto &[index, order] : r->after)
    advance(stream.after, index, order);
  if (r->hashes)
    stream.comesAfterHashes(r->stream->index, r->hashes);
  for (auto &[index, count] : r->afterHashes)
    stream.comesAfterHashes(index, count);
  return r->stream->context == stream.context;
}

void Streams::idle(StreamState &stream, Order upTo) {
  stream.ended(std::min(upTo, stream.last()));
  for (auto &[index, order] : stream.after)
    if (StreamState *other = at(index))
      other->ended(std::min(order, upTo));
}

bool Streams::quiet(const StreamState &stream) const {
  return !stream.mayWait() && quietBeside(stream);
}

bool Streams::quietBeside(const StreamState &stream) const {
  for (const StreamState &other : All)
    if (&other != &stream && sharesContext(other, stream) && other.mayWait())
      return false;
  return true;
}

GPUINSTR_HOT bool Streams::quietIn(uint64_t context) const {
  for (const StreamState &other : All)
    if ((other.context == context || other.context == 0) && other.mayWait())
      return false;
  return true;
}

bool Streams::behindHashes(const StreamState &stream, const StreamState &other, uint64_t upTo) {
  if (ordered(other, stream))
    return true;
  auto it = stream.afterHashes.find(other.index);
  return it != stream.afterHashes.end() && it->second >= upTo;
}

bool Streams::shows(uint64_t event, uint16_t stream, uint64_t put) const {
  const Recorded *r = find(event);
  return r && r->stream->index == stream && r->puts > put;
}

GPUINSTR_HOT void Streams::eventDone(uint64_t event) {
  const Recorded *r = find(event);
  if (!r)
    return;
  r->stream->ended(r->order);
  if (__builtin_expect(!r->bringsOthers, true))
    return;
  for (auto &[index, order] : r->after)
    if (StreamState *s = at(index))
      s->ended(order);
}

bool Streams::mayRun(const StreamState &other, Order order, const StreamState &stream) const {
  if (order <= other.done || ordered(other, stream))
    return false;
  auto it = stream.after.find(other.index);
  return it == stream.after.end() || it->second < order;
}

bool Streams::othersMayRun(const StreamState &stream) const {
  for (const StreamState &other : All)
    if (&other != &stream && (other.context == stream.context || other.context == 0) &&
        mayRun(other, other.lastLaunch.load(std::memory_order_acquire), stream))
      return true;
  return false;
}

bool Streams::othersMayWait(const StreamState &stream) const {
  for (const StreamState &other : All)
    if (&other != &stream && (other.context == stream.context || other.context == 0) &&
        mayRun(other, std::max(other.lastWaiting.load(), other.hold.load()), stream))
      return true;
  return false;
}

bool Streams::hostMayRun(uint64_t context) const {
  return std::any_of(All.begin(), All.end(), [&](const StreamState &s) {
    return (s.context == context || s.context == 0) && s.mayRunHost();
  });
}

bool Streams::hostMayRunAnywhere() const {
  return std::any_of(All.begin(), All.end(), [](const StreamState &s) { return s.mayRunHost(); });
}

bool Streams::hostMayRunBefore(const StreamState &stream) const {
  // What blocking streams got may have the legacy stream's between them.
  bool isBridged = stream.blocking && std::any_of(All.begin(), All.end(), [&](const auto &s) {
                     return s.legacy && sharesContext(s, stream);
                   });
  return std::any_of(All.begin(), All.end(), [&](const StreamState &s) {
    if (!s.mayRunHost() || !sharesContext(s, stream))
      return false;
    if (ordered(s, stream) || (isBridged && s.blocking))
      return true;
    // Of several in a stream the last is known: another one may be what was waited for.
    auto it = stream.after.find(s.index);
    return it != stream.after.end() && it->second > s.done.load();
  });
}

bool Streams::hostMayRunBeside(const StreamState &stream) const {
  return std::any_of(All.begin(), All.end(), [&](const StreamState &s) {
    return &s != &stream && sharesContext(s, stream) && mayRun(s, s.hold.load(), stream);
  });
}

bool Streams::stampedMayRun(uint64_t stamp, const StreamState &stream) const {
  uint16_t index = LaunchStamp::stream(stamp);
  if (index < All.size())
    return mayRun(All[index], LaunchStamp::order(stamp), stream);
  for (const StreamState &other : All)
    if (mayRun(other, other.lastLaunch.load(std::memory_order_acquire), stream))
      return true;
  return false;
}

bool Streams::anyWork(const StreamState &stream) const {
  for (const StreamState &other : All)
    if (&other == &stream || other.context == 0 || (stream.legacy && ordered(other, stream)))
      if (other.work.load(std::memory_order_relaxed))
        return true;
  return false;
}

bool Streams::anyWorkIn(uint64_t context) const {
  for (const StreamState &other : All)
    if ((other.context == context || other.context == 0 || context == 0) &&
        other.work.load(std::memory_order_relaxed))
      return true;
  return false;
}

void Streams::forget(uint64_t context) {
  if (OnlyContext == context)
    OnlyContext = 0;
  for (auto it = ByHandle.begin(); it != ByHandle.end();) {
    StreamState &s = *it->second;
    if (s.context != context) {
      ++it;
      continue;
    }
    s.destroyed = true;
    s.captured = false;
    s.done.store(s.last());
    s.waiting = 0;
    s.work.store(false);
    it = ByHandle.erase(it);
  }
  generation.fetch_add(1, std::memory_order_release);
}

void Streams::clear() {
  EarlyUpload = 0;
  OnlyContext = 0;
  // Launches may hold pointers: the places stay, empty.
  for (StreamState &s : All) {
    s.destroyed = true;
    s.lastLaunch.store(0);
    s.lastWaiting.store(0);
    s.work.store(false);
    s.captured = false;
    s.hold.store(0);
    s.done.store(0);
    s.waiting = 0;
    s.forgetOthers();
  }
  ByHandle.clear();
  Events.clear();
  for (Recent &recent : RecentEvents)
    recent = Recent();
  generation.fetch_add(1, std::memory_order_release);
}

} // namespace gpuinstr::audit
