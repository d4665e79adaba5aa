// Launches into a capture run nothing: as long as it is sure that they go there, no more is noted
// of them than what the graph will do.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/CaptureTrust.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/Auditor.h"
#include "base/HotCode.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

namespace {

/// With the lock held.
void endTrust(Auditor &a) {
  a.streams.each([](StreamState &stream) { stream.captured.store(false); });
  a.captureTrust = CaptureTrust();
  AuditHot.trustsCapture.store(false);
}

/// Else what is launched may have to be put behind them. With the lock held.
bool noHashWaits(Auditor &a) {
  if (Auditor::underWay.load() != 0)
    a.poll();
  return Auditor::underWay.load() == 0;
}

} // namespace

bool trustCapture(Auditor &a, StreamState &stream, uint64_t capture, const ThreadState &thread) {
  CaptureTrust &trust = a.captureTrust;
  if (CaptureTrust::isOn() && trust.capture != capture)
    doubtCapture(a);
  // Before hashes are looked for: who places one announces it before it looks for this.
  stream.captured.store(true);
  if (!CaptureTrust::isOn() && !noHashWaits(a)) {
    stream.captured.store(false);
    return false;
  }
  AuditHot.trustsCapture.store(true);
  trust.capture = capture;
  trust.byOthers |= trust.thread && trust.thread != &thread;
  trust.thread = &thread;
  return true;
}

void doubtCapture(Auditor &a) {
  const Order order = Ranges::launches.fetch_add(1) + 1;
  a.streams.each([&](StreamState &stream) {
    if (stream.captured.load())
      stream.launched(order);
  });
  noteUnknownLaunch(order);
  endTrust(a);
  cuda::Captures.forgetAnswers();
}

bool judgesLaunches(const cuda::CallOperands &o) {
  constexpr uint64_t Judging =
      opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) | opBit(GPUINSTR_OP_COPY_3D) |
      opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_COPY_ARRAY) |
      opBit(GPUINSTR_OP_COPY_BATCH) | opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) |
      opBit(GPUINSTR_OP_SET_3D) | opBit(GPUINSTR_OP_PREFETCH) | opBit(GPUINSTR_OP_FREE) |
      opBit(GPUINSTR_OP_GRAPH_LAUNCH) | opBit(GPUINSTR_OP_SYNC_DEVICE) |
      opBit(GPUINSTR_OP_SYNC_STREAM) | opBit(GPUINSTR_OP_SYNC_EVENT) | opBit(GPUINSTR_OP_QUERY) |
      opBit(GPUINSTR_OP_CAPTURE_END) | opBit(GPUINSTR_OP_RESET_DEVICE);
  return (Judging >> (o.op & 63) & 1) ||
         (o.op == GPUINSTR_OP_DESTROY && o.resource == GPUINSTR_RES_STREAM);
}

GPUINSTR_HOT void settleTrust(const ThreadState &thread, uint64_t stream, bool ends) {
  Auditor &a = auditor();
  // Of an end, the driver was just asked for all observers.
  const uint64_t there = ends ? thread.capture.number : captureOf(stream);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (!CaptureTrust::isOn())
    return;
  const CaptureTrust &trust = a.captureTrust;
  const bool isAlone = trust.thread == &thread && !trust.byOthers;
  if (there != trust.capture || (ends && !isAlone))
    doubtCapture(a);
  else if (ends)
    endTrust(a);
}

} // namespace gpuinstr::audit
