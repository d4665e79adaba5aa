// The fast path: transfers that were met before, and whose bytes need no look this time.
// SPDX-License-Identifier: Apache-2.0
//
// Before the call a few words are compared, without lock, map or driver. After it the same is
// counted as on the long way, by the same functions, with what was looked up then.
#include "audit/repeats/PathChecks.h"
#include "audit/repeats/Run.h"
#include "base/HotCode.h"
#include "calls/threads/DecodedOperands.h"
#include "cuda/Driver.h"
#include <algorithm>
#include <new>

namespace gpuinstr::audit {

void FastPaths::noteTaken() {
  constexpr unsigned Often = 4; // times all of them
  if (Bits >= MostBits || ++Taken < Often << Bits)
    return;
  Taken = 0;
  constexpr unsigned Step = 2;
  const unsigned bits = std::min(Bits + Step, MostBits);
  std::unique_ptr<TransferFastPath[]> more(new (std::nothrow) TransferFastPath[size_t(1) << bits]);
  if (!more)
    return;
  More = std::move(more);
  Paths = More.get();
  Bits = bits;
}

namespace {

/// What is decoded of these operations lies in the frame itself.
constexpr uint64_t Plain = opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                           opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_SET) |
                           opBit(GPUINSTR_OP_SET_2D);
static_assert(GPUINSTR_SLOT_DEPTH + 1 == sizeof(TransferFastPath::slots) / 8,
              "all that these have");

TransferFastPath &fastPathOf(ThreadAuditState &local, const cuda::CallOperands &o) {
  return fastPathOf(local, o.frame->site, o.dst.address, o.src.address);
}

/// Each side is the host's, or an allocation that we saw being made.
bool isKnown(const TransferFastPath &path) {
  auto isOurs = [](const Range *range) { return range && !range->opaque; };
  bool up = path.direction == CopyDirection::HostToDevice;
  bool down = path.direction == CopyDirection::DeviceToHost;
  bool set = path.work == DeviceWorkKind::Set;
  return isOurs(path.range) && (down || isOurs(path.dstRange)) &&
         (up || set || isOurs(path.srcRange));
}

/// Another thread allocated or freed something during the call: what was known then may be gone.
/// With the lock held.
bool lookUpAgain(Auditor &a, TransferFastPath &path, const Call &call) {
  auto it = a.keys.find(path.id);
  if (it == a.keys.end())
    return false;
  path.key = it->second.get();
  path.state = &a.streams.of(path.stream, path.context, &call.thread);
  path.dstRange = path.dst.address ? a.ranges.find(path.dst.address) : nullptr;
  path.srcRange = path.src.address ? a.ranges.find(path.src.address) : nullptr;
  return true;
}

void fill(Transfer &t, const TransferFastPath &path) {
  t.active = true;
  t.isVoid = false;
  t.key = path.key;
  t.stream = path.state;
  t.work = path.work;
  t.direction = path.direction;
  t.isForHost = path.isForHost;
  t.waits = path.waits;
  t.isEarly = path.isEarly;
  t.order = path.begun.order;
  t.entered = path.begun.entered;
  t.writes = path.begun.writes;
  t.reads = path.begun.reads;
  t.notRun = path.begun.notRun;
  t.skip = SkipReason::Budget;
}

GPUINSTR_HOT void count(Auditor &a, const Call &call, ThreadAuditState &local,
                        TransferFastPath &path, Transfer &t, uint64_t ticks) {
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (Auditor::underWay.load(std::memory_order_relaxed)) // nothing is pending else
    a.poll();
  if (__builtin_expect(!isGood(a, path), false)) {
    path.site = nullptr;
    if (!lookUpAgain(a, path, call))
      path.key = nullptr; // freed while it was copied to
  }
  if (__builtin_expect(path.key && path.key->settledAt > path.begun.entered, false))
    beginBehindRun(a, local, path);
  fill(t, path);
  if (__builtin_expect(!t.key, false))
    return;
  Key &key = *t.key;
  key.caller = call.caller;
  key.hostAddress = path.hostAddress;
  meet(a, call, t, path.dstRange, path.srcRange);
  if (call.failed)
    key.unread = false;
  else
    settle(a, call, local, t, ticks);
}

GPUINSTR_HOT bool isQuiet(ThreadAuditState &local, TransferFastPath &path, const Call &call,
                          const Transfer &t) {
  if (!path.site || !t.key)
    return false;
  if (path.look == SourceLook::NotKnown)
    path.look = lookOf(local, call, t, path.brief);
  return isQuiet(path);
}

} // namespace

GPUINSTR_HOT bool beforeFastPath(const Call &call, ThreadAuditState &local) {
  local.path = nullptr;
  const cuda::CallOperands &o = call.operands;
  if (!(Plain >> o.op & 1))
    return false;
  TransferFastPath &path = fastPathOf(local, o);
  Auditor &a = auditor();
  if (__builtin_expect(a.severalContexts.load(std::memory_order_relaxed), false))
    local.context = currentContext();
  if (local.asked || !isOpen(a, path, call.thread, *o.frame, o.stream, local.context))
    return false;
  begin(a, path);
  local.path = &path;
  return true;
}

GPUINSTR_HOT void afterFastPath(const Call &decoded, ThreadAuditState &local) {
  uint64_t ticks = ticksOf(decoded);
  Auditor &a = auditor();
  TransferFastPath &path = *local.path;
  local.path = nullptr;
  Transfer t; // where the stack is: in the caches
  auto finish = [&](const Call &call) {
    count(a, call, local, path, t, ticks);
    if (!call.failed && !isQuiet(local, path, call, t))
      lookAtSource(a, local, call, t, ticks);
  };
  if (decoded.operands.op != GPUINSTR_OP_COPY_SYMBOL)
    return finish(decoded);
  cuda::CallOperands placed = decoded.operands;
  placed.dst = path.dst;
  placed.src = path.src;
  finish(withOperands(decoded, placed));
}

void lookAtSourceAgain(const Call &call, ThreadAuditState &local) {
  Auditor &a = auditor();
  Transfer t;
  fill(t, *local.path);
  t.repeat = true;
  lookAtSource(a, local, call, t, ticksOf(call));
}

/// The path is the one that this call would have taken, had it needed no look at its bytes: what is
/// known of its source holds.
static bool isStillOpen(const Auditor &a, TransferFastPath &path, const Call &call,
                        const ThreadAuditState &local, const Key &key) {
  const cuda::CallOperands &o = call.operands;
  return path.key == &key && path.work != DeviceWorkKind::Set &&
         isLike(path, call.thread.root, *o.frame, o.stream, local.context) && isGood(a, path);
}

void openFastPath(Auditor &a, const Call &call, ThreadAuditState &local, const Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  Key &key = *t.key;
  if (!(Plain >> o.op & 1) || !key.range || call.thread.paused || t.captured ||
      (a.verifies && key.left.load(std::memory_order_relaxed) == 0))
    return;
  // By what will be decoded of the next one: of symbols, the addresses are not in there.
  const cuda::CallOperands &plain = operandsOf(call.thread, *o.frame);
  if (const TransferFastPath &before = fastPathOf(local, plain);
      before.site && key.occurrences > 1 && !(before.id == key.id))
    local.paths.noteTaken();
  TransferFastPath &path = fastPathOf(local, plain);
  if (!isStillOpen(a, path, call, local, key))
    path.look = SourceLook::NotKnown, path.pageable = RecordPlace();
  path.site = o.frame->site;
  path.chargedSite = call.chargedSite;
  path.caller = call.caller;
  path.stream = o.stream;
  path.context = local.context;
  for (unsigned i = 0; i <= GPUINSTR_SLOT_DEPTH; ++i)
    path.slots[i] = o.frame->slot[i];
  path.streamGeneration = a.streams.generation.load();
  path.dst = o.dst;
  path.src = o.src;
  path.dstRange = o.dst.address ? a.ranges.find(o.dst.address) : nullptr;
  path.srcRange = o.src.address ? a.ranges.find(o.src.address) : nullptr;
  path.key = &key;
  path.id = key.id;
  path.hostAddress = key.hostAddress;
  path.left = &key.left;
  path.range = key.range;
  path.state = t.stream;
  path.work = t.work;
  path.direction = t.direction;
  path.isForHost = t.isForHost;
  path.waits = t.waits;
  path.isEarly = t.isEarly;
  path.simulated = driverIsSimulated();
  path.dstSerial = serialOf(path.dstRange);
  path.srcSerial = serialOf(path.srcRange);
  path.serialThen = Ranges::lastSerial();
  path.isBound = !isKnown(path);
  path.rangeGeneration = generationFor(a, path).load();
}

} // namespace gpuinstr::audit
