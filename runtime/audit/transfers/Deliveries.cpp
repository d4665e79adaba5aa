// Round trips of libraries that download into pinned memory of their own, and hand the bytes on.
// SPDX-License-Identifier: Apache-2.0
//
// What they bring is compared with what the same line's last such download brought, as its
// memory's content is nobody's but the host's to ask for.
//
// XLA asks the driver about the memory where the bytes shall end, sends for them into memory of its
// own, and has a host function copy them. No call says when that is done. It asks about what it is
// to upload, too, before it copies that into such memory: at the next question, of whichever
// thread, the pinned memory still holds what the device gave, if its stream is idle, nothing wrote
// to the device, and the bytes are where they were wanted.
#include "audit/transfers/Deliveries.h"
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/ReadableMemory.h"
#include <cstring>

namespace gpuinstr::audit {

namespace {

constexpr uint64_t LeastBytes = 65536; ///< of round trips: smaller ones are flags and results
constexpr size_t Most = 4;
constexpr unsigned FirstLooks = 6;
constexpr uint64_t PatienceNs = 50000;

/// Whether both hold the same, here and there: all of it, or places. Either's memory may be gone.
bool agrees(const cuda::Region &pinned, uint64_t target) {
  constexpr uint64_t Most = 16, Piece = 64;
  char here[Most * Piece], there[Most * Piece];
  const bool isWhole = pinned.width <= sizeof there;
  const uint64_t pieces = isWhole ? 1 : Most, each = isWhole ? pinned.width : Piece;
  const uint64_t step = isWhole ? 0 : (pinned.width - Piece) / (Most - 1);
  auto read = [&](char *to, uint64_t address) {
    iovec all{to, pieces * each}, from[Most];
    for (uint64_t i = 0; i < pieces; ++i)
      from[i] = {reinterpret_cast<void *>(address + i * step), each};
    return readThroughKernel(all, from, pieces) == ssize_t(all.iov_len);
  };
  return read(here, pinned.address) && read(there, target) &&
         std::memcmp(here, there, pieces * each) == 0;
}

/// `patienceNs`: the host function that woke this thread may be about to return.
bool isIdle(const Delivery &one, uint64_t patienceNs) {
  const DriverApi *api = driverApi();
  if (!api || !api->streamQuery || cuda::Captures.anyOpen() || currentContext() != one.context)
    return false;
  RelaxedCapture relaxed(*api);
  const uint64_t begin = monotonicNs();
  do
    if (api->streamQuery(reinterpret_cast<void *>(one.stream)) == 0)
      return true;
  while (monotonicNs() - begin < patienceNs);
  return false;
}

/// The library has used the pinned memory for an upload since, or may have.
bool wasSentFrom(const Auditor &a, const Delivery &one) {
  constexpr size_t Most = 4096; // of more, looking takes too long
  if (a.keys.size() > Most)
    return true;
  const uint64_t lo = one.region.address, hi = lo + one.region.width;
  for (const auto &[id, key] : a.keys)
    if (key->direction == CopyDirection::HostToDevice && key->hostAddress < hi &&
        key->hostAddress + id.bytes > lo && key->settledAt > one.put)
      return true;
  return false;
}

bool affordLook(Auditor &a, uint64_t ns) {
  if (a.full || a.deliveryLooks >= FirstLooks)
    return afford(a, ns);
  ++a.deliveryLooks;
  return overheadBudget().takeFirst(ns);
}

void look(Auditor &a, ThreadAuditState &local, const Delivery &one) {
  bool mayComeBack;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    mayComeBack = a.changes() == one.changes && one.region.width >= LeastBytes;
    if ((!mayComeBack && one.occurrence == 0) ||
        !affordLook(a, one.region.width / SafeBytesPerNs + LookNs))
      return;
  }
  // What came behind it may keep the stream busy for long.
  if (!isIdle(one, mayComeBack ? PatienceNs : 0) || !hostReadable(local, one.region.address))
    return;
  uint64_t begin = monotonicNs();
  ContentHash content;
  if (!hashHostIfThere(one.region, content))
    return;
  bool isWhatItGot = agrees(one.region, one.target); // now: another upload's may be coming in
  uint64_t took = monotonicNs() - begin;
  local.verifyNs += took;
  noteOwnCost(OwnConsumer::HostLooks, took);
  std::lock_guard<AuditMutex> lock(a.mutex);
  // Where they were wanted the program may have something else by now.
  if (isWhatItGot || !wasSentFrom(a, one))
    noteBrought(a, one.id, one.occurrence, content);
  if (!isWhatItGot || !mayComeBack || a.changes() != one.changes)
    return;
  Returned back;
  back.content = content;
  back.id.site = one.id.site;
  back.id.bytes = one.region.width;
  back.version = one.changes;
  back.context = one.context;
  back.isDelivered = true;
  a.returned.put(back);
}

} // namespace

void noteDelivery(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                  uint64_t target) {
  const cuda::CallOperands &o = call.operands;
  bool isFlat = o.dst.rows == 1 && o.dst.slices == 1;
  // Small ones are flags and results: whether they were for nothing is asked now and then.
  bool isWanted = o.bytes >= LeastBytes || (t.isMapped && t.occurrence && (t.due || !t.repeat));
  if (!a.verifies || t.captured || t.direction != CopyDirection::DeviceToHost || t.waits ||
      !isFlat || !isWanted || o.bytes == 0 || target == o.dst.address ||
      hostPageable(local, o.dst.address) || !hostReadable(local, o.dst.address))
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (a.deliveries.size() >= Most)
    a.deliveries.erase(a.deliveries.begin());
  Delivery one{{}, 0, o.stream, local.context, target, o.dst, t.changes, Streams::Puts.load()};
  if (t.isMapped && t.key) {
    one.id = t.key->id;
    one.occurrence = t.occurrence;
    t.looksLater = true;
  }
  one.id.site = call.chargedSite;
  a.deliveries.push_back(one);
}

void noteAsked(ThreadState &thread, uint64_t address) {
  Auditor &a = auditor();
  if (!a.decided.load() || !a.verifies)
    return;
  ThreadAuditState &local = auditStateOf(thread);
  local.asked = address;
  std::vector<Delivery> open;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    open.swap(a.deliveries);
  }
  for (const Delivery &one : open)
    look(a, local, one);
}

} // namespace gpuinstr::audit
