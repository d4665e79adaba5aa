// The express lane: transfers that were met before, and whose bytes need no look this time.
// SPDX-License-Identifier: Apache-2.0
//
// Before the call a few words are compared, without lock, map or driver. After it the same is
// counted as on the long way, by the same functions, with what was looked up then.
#include "audit/state/ThreadAuditState.h"
#include "calls/DecodedOperands.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"

namespace gpuinstr::audit {

bool LanesClosed = false;

namespace {

/// What is decoded of these operations lies in the frame itself.
constexpr uint64_t Plain = opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                           opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_SET) |
                           opBit(GPUINSTR_OP_SET_2D);
static_assert(GPUINSTR_SLOT_DEPTH + 1 == sizeof(Lane::slots) / 8, "all that these have");

Lane &laneOf(Local &local, const cuda::CallOperands &o) {
  constexpr unsigned Bits = 4;
  static_assert(Local::Lanes == 1 << Bits, "the hash's top bits choose one");
  uint64_t h = o.dst.address ^ (o.src.address << 13 | o.src.address >> 51) ^
               reinterpret_cast<uintptr_t>(o.frame->site);
  return local.lanes[h * 0x9e3779b97f4a7c15u >> (64 - Bits)];
}

bool isLike(const Lane &lane, const Call &call, uint64_t context) {
  const gpuinstr_frame &frame = *call.operation.frame;
  if (lane.site != frame.site || lane.caller != call.caller ||
      lane.chargedSite != call.chargedSite || lane.stream != call.operation.stream ||
      lane.context != context)
    return false;
  for (unsigned i = 0; i <= GPUINSTR_SLOT_DEPTH; ++i)
    if ((frame.site->slots >> i & 1) && lane.slots[i] != frame.slot[i])
      return false;
  return true;
}

bool isGood(const Auditor &a, const Lane &lane) {
  return lane.rangeGeneration == a.ranges.generation.load(std::memory_order_acquire) &&
         lane.streamGeneration == a.streams.generation.load(std::memory_order_acquire);
}

/// Another thread allocated or freed something during the call: what was known then may be gone.
/// With the lock held.
bool lookUpAgain(Auditor &a, Lane &lane, const Call &call) {
  auto it = a.keys.find(lane.id);
  if (it == a.keys.end())
    return false;
  lane.key = it->second.get();
  lane.state = &a.streams.of(lane.stream, lane.context, &call.thread);
  lane.dstRange = lane.dst.address ? a.ranges.find(lane.dst.address) : nullptr;
  lane.srcRange = lane.src.address ? a.ranges.find(lane.src.address) : nullptr;
  return true;
}

void fill(Transfer &t, const Lane &lane) {
  t.active = true;
  t.isVoid = false;
  t.key = lane.key;
  t.stream = lane.state;
  t.work = lane.work;
  t.direction = lane.direction;
  t.waits = lane.waits;
  t.order = lane.order;
  t.writes = lane.writes;
  t.reads = lane.reads;
  t.notRun = lane.notRun;
  t.skip = Skip::Budget;
}

void count(Auditor &a, const Call &call, Local &local, Lane &lane, Transfer &t, uint64_t ticks) {
  std::lock_guard<std::mutex> lock(a.mutex);
  if (Auditor::underWay.load(std::memory_order_relaxed)) // nothing is pending else
    a.poll();
  if (__builtin_expect(!isGood(a, lane), false)) {
    lane.site = nullptr;
    if (!lookUpAgain(a, lane, call))
      lane.key = nullptr; // freed while it was copied to
  }
  fill(t, lane);
  if (__builtin_expect(!t.key, false))
    return;
  Key &key = *t.key;
  key.caller = call.caller;
  key.hostAddress = lane.hostAddress;
  meet(a, call, t, lane.dstRange, lane.srcRange);
  if (call.failed)
    key.unread = false;
  else
    settle(a, call, local, t, ticks);
}

/// The source has nothing to say that it did not say before.
bool isQuiet(Local &local, Lane &lane, const Call &call, const Transfer &t) {
  if (!lane.site || !t.key)
    return false;
  if (lane.look == SourceLook::NotKnown)
    lane.look = lookOf(local, call, t);
  return lane.look == SourceLook::Never ||
         (lane.look == SourceLook::UnlessUnscanned && Ranges::unscanned.load());
}

} // namespace

bool beforeLane(const Call &call, Local &local) {
  local.lane = nullptr;
  const cuda::CallOperands &o = call.operation;
  if (!(Plain >> o.op & 1))
    return false;
  Lane &lane = laneOf(local, o);
  Auditor &a = auditor();
  if (__builtin_expect(a.severalContexts.load(std::memory_order_relaxed), false))
    local.context = currentContext();
  if (!isLike(lane, call, local.context) || !isGood(a, lane) || cuda::Captures.anyOpen() ||
      call.thread.paused || LanesClosed ||
      (a.verifies && lane.left->load(std::memory_order_relaxed) == 0))
    return false;
  lane.order = a.ranges.launches.load();
  lane.writes = a.ranges.writesOf(*lane.range);
  lane.reads = a.ranges.readsOf(*lane.range);
  lane.notRun = lane.simulated ? cuda::kernelsNotRun() : 0;
  local.lane = &lane;
  return true;
}

void afterLane(const Call &decoded, Local &local) {
  uint64_t ticks = ticksOf(decoded);
  Auditor &a = auditor();
  Lane &lane = *local.lane;
  local.lane = nullptr;
  Transfer t; // where the stack is: in the caches
  auto finish = [&](const Call &call) {
    count(a, call, local, lane, t, ticks);
    if (!call.failed && !isQuiet(local, lane, call, t))
      lookAtSource(a, local, call, t, ticks);
  };
  if (decoded.operation.op != GPUINSTR_OP_COPY_SYMBOL)
    return finish(decoded);
  cuda::CallOperands placed = decoded.operation;
  placed.dst = lane.dst;
  placed.src = lane.src;
  finish(withOperation(decoded, placed));
}

void openLane(Auditor &a, const Call &call, Local &local, const Transfer &t) {
  const cuda::CallOperands &o = call.operation;
  Key &key = *t.key;
  if (!(Plain >> o.op & 1) || !key.range || call.thread.paused || t.captured ||
      (a.verifies && key.left.load(std::memory_order_relaxed) == 0))
    return;
  // By what will be decoded of the next one: of symbols, the addresses are not in there.
  const cuda::CallOperands &plain = operandsOf(call.thread, *o.frame);
  Lane &lane = laneOf(local, plain);
  lane.site = o.frame->site;
  lane.chargedSite = call.chargedSite;
  lane.caller = call.caller;
  lane.stream = o.stream;
  lane.context = local.context;
  for (unsigned i = 0; i <= GPUINSTR_SLOT_DEPTH; ++i)
    lane.slots[i] = o.frame->slot[i];
  lane.rangeGeneration = a.ranges.generation.load();
  lane.streamGeneration = a.streams.generation.load();
  lane.dst = o.dst;
  lane.src = o.src;
  lane.dstRange = o.dst.address ? a.ranges.find(o.dst.address) : nullptr;
  lane.srcRange = o.src.address ? a.ranges.find(o.src.address) : nullptr;
  lane.key = &key;
  lane.id = key.id;
  lane.hostAddress = key.hostAddress;
  lane.left = &key.left;
  lane.range = key.range;
  lane.state = t.stream;
  lane.work = t.work;
  lane.direction = t.direction;
  lane.waits = t.waits;
  lane.simulated = driverIsSimulated();
  lane.look = SourceLook::NotKnown;
}

} // namespace gpuinstr::audit
