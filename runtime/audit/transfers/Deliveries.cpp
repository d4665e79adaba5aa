// Round trips of libraries that download into pinned memory of their own, and hand the bytes on.
// SPDX-License-Identifier: Apache-2.0
//
// XLA asks the driver about the memory where the bytes shall end, sends for them into memory of its
// own, and has a host function copy them. No call says when that is done. It asks about what it is
// to upload, too, before it copies that into such memory: at the next question, of whichever
// thread, the pinned memory still holds what the device gave, if its stream is idle, nothing wrote
// to the device, and the bytes are where they were wanted.
#include "audit/transfers/Deliveries.h"
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace gpuinstr::audit {

namespace {

constexpr uint64_t LeastBytes = 65536; ///< smaller ones are flags and results
constexpr size_t Most = 4;
constexpr unsigned FirstLooks = 6;
constexpr uint64_t PatienceNs = 50000;

/// Whether both hold the same, here and there. The other's memory may be gone.
bool agrees(const cuda::Region &pinned, uint64_t target) {
  constexpr uint64_t Pieces = 16, Piece = 64;
  char there[Pieces * Piece];
  iovec to{there, sizeof there}, from[Pieces];
  uint64_t step = (pinned.width - Piece) / (Pieces - 1);
  for (uint64_t i = 0; i < Pieces; ++i)
    from[i] = {reinterpret_cast<void *>(target + i * step), Piece};
  if (process_vm_readv(getpid(), &to, 1, from, Pieces, 0) != sizeof there)
    return false;
  for (uint64_t i = 0; i < Pieces; ++i)
    if (std::memcmp(reinterpret_cast<const char *>(pinned.address) + i * step, there + i * Piece,
                    Piece) != 0)
      return false;
  return true;
}

bool isIdle(const Delivery &one) {
  const DriverApi *api = driverApi();
  if (!api || !api->streamQuery || cuda::Captures.anyOpen() || currentContext() != one.context)
    return false;
  RelaxedCapture relaxed(*api);
  // The host function that woke this thread may be about to return.
  for (uint64_t begin = monotonicNs(); monotonicNs() - begin < PatienceNs;)
    if (api->streamQuery(reinterpret_cast<void *>(one.stream)) == 0)
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
  {
    std::lock_guard<InlineMutex> lock(a.mutex);
    if (a.changes() != one.changes || !affordLook(a, one.region.width / HostBytesPerNs + LookNs))
      return;
  }
  if (!isIdle(one) || !hostReadable(local, one.region.address))
    return;
  uint64_t begin = monotonicNs();
  ContentHash content = hashHost(one.region);
  bool isWhatItGot = agrees(one.region, one.target); // now: another upload's may be coming in
  uint64_t took = monotonicNs() - begin;
  local.verifyNs += took;
  noteOwnCost(OwnConsumer::HostLooks, took);
  std::lock_guard<InlineMutex> lock(a.mutex);
  if (!isWhatItGot || a.changes() != one.changes)
    return;
  Returned back;
  back.content = content;
  back.id.site = one.site;
  back.id.bytes = one.region.width;
  back.version = one.changes;
  back.context = one.context;
  back.isDelivered = true;
  a.returned.put(back);
}

} // namespace

void noteDelivery(Auditor &a, ThreadAuditState &local, const Call &call, const Transfer &t,
                  uint64_t target) {
  const cuda::CallOperands &o = call.operands;
  bool isFlat = o.dst.rows == 1 && o.dst.slices == 1;
  if (!a.verifies || t.captured || t.direction != CopyDirection::DeviceToHost || t.waits ||
      !isFlat || o.bytes < LeastBytes || target == o.dst.address ||
      hostPageable(local, o.dst.address) || !hostReadable(local, o.dst.address))
    return;
  std::lock_guard<InlineMutex> lock(a.mutex);
  if (a.deliveries.size() >= Most)
    a.deliveries.erase(a.deliveries.begin());
  a.deliveries.push_back({call.chargedSite, o.stream, local.context, target, o.dst, t.changes});
}

void noteAsked(ThreadState &thread, uint64_t address) {
  Auditor &a = auditor();
  if (!a.decided.load() || !a.verifies)
    return;
  ThreadAuditState &local = auditStateOf(thread);
  local.asked = address;
  std::vector<Delivery> open;
  {
    std::lock_guard<InlineMutex> lock(a.mutex);
    open.swap(a.deliveries);
  }
  for (const Delivery &one : open)
    look(a, local, one);
}

} // namespace gpuinstr::audit
