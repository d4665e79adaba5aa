// Pinned memory that a copy reads when its stream gets there: is what it holds now what is sent?
// SPDX-License-Identifier: Apache-2.0
//
// What is put before the copy may write there first. What nothing orders with the copy would race
// with it, and which bytes were sent would be chance: a program that works does not have that.
#include "audit/scheduling/HashScheduling.h"
#include "audit/state/ThreadAuditState.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"

namespace gpuinstr::audit {

namespace {

/// No copy and no kernel was ever seen that may write there.
bool isTheHosts(const Range &source) {
  return !source.filled && source.writer.load() == 0 && !source.escaped.load() &&
         !source.global.load();
}

} // namespace

/// Of others than those whose bytes are noted: whether the first ones are of equal elements.
/// Repeats keep to the short way.
static bool isAskedOf(const Key &key) {
  return key.notesSettled() || (key.id.bytes >= UniformLeast && key.occurrences == 0);
}

void noteSource(const Auditor &a, Transfer &t, const Range *source) {
  if (t.waits || t.direction != CopyDirection::HostToDevice || !t.key || !isAskedOf(*t.key) ||
      !source || source->exported.load())
    return;
  // A graph has host functions of its own.
  bool hostRuns =
      t.unhashed ? a.streams.hostMayRun(t.stream->context) : a.streams.hostMayRunBefore(*t.stream);
  bool isSettled = isTheHosts(*source) && !hostRuns;
  t.source = isSettled ? PinnedBytes::Settled : PinnedBytes::MayChange;
}

void askForSource(Auditor &a, const Call &call, Transfer &t) {
  if (t.source != PinnedBytes::MayChange || !t.key->notesSettled() || !a.verifies ||
      (t.repeat && !t.due))
    return;
  const DriverApi *api = driverApi();
  if (!api || !api->streamQuery || cuda::Captures.anyOpen()) // it would spoil the capture
    return;
  RelaxedCapture relaxed(*api);
  if (api->streamQuery(reinterpret_cast<void *>(call.operands.stream)) != 0)
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.streams.idle(*t.stream, t.order);
  t.source = PinnedBytes::Settled;
}

} // namespace gpuinstr::audit
