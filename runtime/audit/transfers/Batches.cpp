// Batches of copies: each is judged by the host's witness; the device is not asked.
// SPDX-License-Identifier: Apache-2.0
#include "audit/graphs/GraphCalls.h"
#include "cuda/CaptureTracker.h"
#include "cuda/DriverFacts.h"

namespace gpuinstr::audit {

namespace {

constexpr uint64_t MostItems = 256; ///< of larger batches the rest only writes

/// Not taken apart: anything may have been written.
void noteUnknownBatch(Auditor &a, uint64_t copies) {
  a.waste.figures.batches += copies;
  a.ranges.unknownWrites.fetch_add(1);
  a.ranges.unknownUses.fetch_add(1);
  a.ranges.leaveUnscanned();
}

/// One copy of the batch, before the driver gets it. With the lock held.
void prepareItem(Auditor &a, const Call &call, Transfer &t) {
  t.skip = SkipReason::Busy;
  meetUnhashed(a, call, t, true);
}

} // namespace

void beforeBatch(const Call &call, ThreadAuditState &local) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  bool captured = cuda::Captures.isCapturing(o.stream);
  local.batch.clear();
  if (captured)
    noteCapturedUnknown(false);
  std::lock_guard<AuditMutex> lock(a.mutex);
  StreamState &stream = a.streams.of(o.stream, local.context, &call.thread);
  a.streams.putForHost(stream);
  if (o.detail != 0 || captured) // of three dimensions
    return noteUnknownBatch(a, batchCount(o));
  cuda::CallOperands item;
  for (uint64_t i = 0; batchItem(o, i, item); ++i) {
    Transfer t;
    t.stream = &stream;
    t.order = a.ranges.launches.load();
    t.notRun = cuda::kernelsNotRun();
    prepareItem(a, withOperands(call, item), t);
    if (!t.key || local.batch.size() >= MostItems) {
      ++a.waste.figures.batches;
      a.waste.figures.all.add(1, item.bytes, 0);
    }
    if (t.key)
      local.batch.push_back(t);
  }
}

void afterBatch(const Call &call, ThreadAuditState &local, uint64_t ticks) {
  Auditor &a = auditor();
  uint64_t copies = batchCount(call.operands), next = 0;
  cuda::CallOperands item;
  for (uint64_t i = 0; batchItem(call.operands, i, item) && next < local.batch.size(); ++i) {
    Transfer &t = local.batch[next];
    if (t.key->id.dst != item.dst.address || t.key->id.bytes != item.bytes)
      continue; // one without a key
    ++next;
    if (!call.failed)
      lookAtHost(a, local, withOperands(call, item), t, ticks / copies);
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (call.failed)
      t.key->unread = false;
    else
      countTransfer(a, t, ticks / copies);
    --t.key->pending;
  }
  local.batch.clear();
}

} // namespace gpuinstr::audit
