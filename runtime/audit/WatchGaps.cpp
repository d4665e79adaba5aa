// Launches, events and changes of graphs in attached programs that went unseen.
// SPDX-License-Identifier: Apache-2.0
#include "audit/WatchGaps.h"
#include "audit/graphs/GraphCalls.h"
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "calls/CallHooks.h"
#include "calls/budget/WatchWindows.h"

namespace gpuinstr::audit {

void noteAnythingAnywhere(Auditor &a) {
  a.graphs.allChanged();
  const Order order = Ranges::launches.fetch_add(1) + 1;
  a.streams.each([&](StreamState &stream) { stream.launched(order); });
  noteUnknownLaunch(order);
}

namespace {

/// A hash that is under way has to know what is launched behind it.
bool nothingIsUnderWay() { return AuditHot.underWay.load() == 0; }

/// Before a call, as long as others go unseen and once behind that. What the thread has seen
/// happen one after the other need not have.
void noteUnseen(ThreadState &thread) {
  Auditor &a = auditor();
  if (!thread.audit || !a.active)
    return;
  ThreadAuditState &local = auditStateOf(thread);
  local.waitedAt = 0;
  local.waitedQuietly = 0;
  local.needless = false;
  local.freed.context = 0;
  local.row.end();
  thread.launches.last.launched = true;
  look(thread, [&] {
    if (cuda::Captures.anyOpen())
      noteCapturedUnknown(true);
    std::lock_guard<AuditMutex> lock(a.mutex);
    noteAnythingAnywhere(a);
    a.streams.forgetEvents(); // they may have been recorded elsewhere
    ++Streams::ForHost;
  });
}

} // namespace

void noteUnseenAtTheEnd() {
  if (!everUnseen())
    return;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  noteAnythingAnywhere(a);
}

void noteWatchGaps() {
  Hooks.mayGoUnseen = nothingIsUnderWay;
  Hooks.watchChanged = noteUnseen;
}

} // namespace gpuinstr::audit
