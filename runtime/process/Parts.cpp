// The one list of the runtime's parts, and what the process does with all of them.
// SPDX-License-Identifier: Apache-2.0
//
// A new feature is one entry here. Its place says when it starts, so that observers see a call in
// that order, and where its notes and findings stand in the profile. Its number says when fork
// takes its lock: after those of all parts that call it with their own lock held.
#include "process/Parts.h"
#include "audit/AuditPart.h"
#include "base/locks/LeafMutex.h"
#include "calls/CudaState.h"
#include "calls/OneTimeCosts.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/WatchWindows.h"
#include "calls/code/UnseenCode.h"
#include "calls/sites/Kernels.h"
#include "calls/sites/Sites.h"
#include "calls/threads/Phases.h"
#include "calls/threads/Thread.h"
#include "findings/Findings.h"
#include "ledger/Ledger.h"
#include "memory/MemoryPart.h"
#include "nvtx/CaptureRange.h"
#include "nvtx/Nvtx.h"
#include "process/Signals.h"
#include "process/output/PeriodicOutput.h"
#include "time/TimePart.h"
#include "time/telemetry/Telemetry.h"
#include "trace/Trace.h"
#include <iterator>

namespace gpuinstr {

namespace {

constexpr unsigned NoLock = 0;

// clang-format off
constexpr struct Entry {
  Part &(*part)();
  unsigned lockOrder; ///< 1 first
} Entries[] = {
    {imagesPart, 5},
    {sitesPart, 6},
    {threadsPart, 7},
    {phasesPart, 14},
    {cudaStatePart, NoLock},
    {overheadBudgetPart, NoLock},
    {watchWindowsPart, NoLock},
    {kernelsPart, 10},
    {ledgerPart, 8},
    {findingsPart, 9},
    {memoryPart, NoLock},
    {oneTimeCostsPart, 11},
    {capturePart, 3},
    {timing::timePart, 12},
    {timing::telemetryPart, 13},
    {trace::tracePart, 2},
    {audit::auditPart, 4},
    {nvtxPart, NoLock},
    {signalsPart, NoLock},
    {periodicOutputPart, 1}, // who writes the profile needs the locks of all others
};
// clang-format on

constexpr unsigned LastLock = std::size(Entries);

void eachWithLock(unsigned order, void (Part::*work)()) {
  for (const Entry &entry : Entries)
    if (entry.lockOrder == order)
      (entry.part().*work)();
}

} // namespace

void eachPart(const std::function<void(Part &)> &visit) {
  for (const Entry &entry : Entries)
    visit(entry.part());
}

void lockParts() {
  for (unsigned order = 1; order <= LastLock; ++order)
    eachWithLock(order, &Part::lock);
  lockLeaves();
}

void unlockParts() {
  unlockLeaves();
  for (unsigned order = LastLock; order >= 1; --order)
    eachWithLock(order, &Part::unlock);
}

} // namespace gpuinstr
