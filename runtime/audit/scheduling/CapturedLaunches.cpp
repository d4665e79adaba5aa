// Launches into graphs: what the kernel may touch whenever the graph is launched.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/CapturedLaunches.h"
#include "audit/scheduling/CaptureTrust.h"
#include "audit/scheduling/LaunchArguments.h"
#include "audit/scheduling/Launches.h"
#include "audit/state/Auditor.h"

namespace gpuinstr::audit {

namespace {

/// What a captured kernel gets, on its way to the capture's work.
class CapturedTouches {
public:
  CapturedTouches(uint64_t capture) : Capture(capture) {}
  void add(const GraphTouch &touch) {
    Touches[Number++] = touch;
    if (Number == Most)
      put([](Auditor &, GraphWork &) {});
  }
  /// `change`: what else is known of the work.
  template <class Change> void put(Change change) {
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    GraphWork &work = a.graphs.captured(Capture);
    for (unsigned i = 0; i < Number; ++i)
      work.noteTouch(Touches[i]);
    Number = 0;
    change(a, work);
  }

private:
  static constexpr unsigned Most = 32;
  const uint64_t Capture;
  GraphTouch Touches[Most];
  unsigned Number = 0;
};

/// The line that captured the kernel is evidence, and what the kernel is given counts as used and
/// handed on whatever becomes of the graph. When it reads and writes, the graph's launches say.
void noteGiven(Range &range, uint8_t access, SiteIndex site) {
  constexpr uint8_t Unseen = GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_ESCAPE;
  if (access == 0)
    return notePassed(range, site);
  if (range.unused.load(std::memory_order_relaxed))
    noteFirstLaunch(range, Ranges::launches.fetch_add(1) + 1, site);
  range.users.note(site, access);
  if ((access & (GPUINSTR_ACCESS_WRITE | Unseen)) == GPUINSTR_ACCESS_WRITE)
    range.written.store(true, std::memory_order_relaxed);
  if (access & Unseen)
    range.noteEscape(access);
}

/// `isSure`: it goes there, and no other capture is open. True: nothing else need be noted of it. A
/// kernel that may do anything may also hand on any address that there is now.
bool noteCapturedKernel(ThreadState &thread, const CapturedLaunch &launch, uint64_t capture,
                        bool isSure) {
  CapturedTouches touches(capture);
  const KernelShape *shape = launch.shape;
  bool known = shape && shape->known && (launch.arguments || !shape->count), follows = false;
  auto touch = [&](uint64_t address, const KernelShape::Parameter &p) {
    const bool leads = p.access & LeadsOn;
    const uint8_t own = ownAccess(p.access);
    Range *range = address < FirstPage ? nullptr : searchSpans(thread.launches, address);
    Range *behind = address >= FirstPage && p.access && mayBeginLater(range, address)
                        ? rangeBehind(thread.launches, address)
                        : nullptr;
    Range *before =
        mayHaveEnded(range, address, p.access) ? rangeBefore(thread.launches, address) : nullptr;
    for (Range *beside : {behind, before})
      if (beside) {
        touches.add({beside, beside->serial, own});
        noteGiven(*beside, own, thread.root.site);
      }
    if (range) {
      touches.add({range, range->serial, own});
      noteGiven(*range, own, thread.root.site);
      follows |= leads;
      known &= !(leads && range->hostCanTouch());
    } else if (address >= FirstPage && p.pointer) {
      known &= !leads;
      if (p.access & GPUINSTR_ACCESS_WRITE)
        noteStrayWrite(address);
    }
  };
  if (known && shape->count)
    eachAddress(*shape, launch.arguments, touch);
  if (known && shape->leadsByValue)
    known = !holdsStrangers(thread.launches, *shape, launch.arguments);
  known &= shape && !shape->followsHost;
  bool isTrusted = false;
  touches.put([&](Auditor &a, GraphWork &work) {
    work.unknown |= !known;
    work.follows |= follows;
    work.mayWait |= !shape || !shape->ends;
    work.keepsVariables &= shape && shape->keepsVariables;
    isTrusted = isSure && known && trustCapture(a, launch.stream, capture, thread);
  });
  return isTrusted;
}

/// What the driver is asked once: another capture that nobody saw begin would make a graph of
/// which nothing is known (GraphWorks).
uint64_t captureFor(LaunchCache::Capture &last, uint64_t handle) {
  const uint32_t changes = cuda::Captures.changes();
  if (last.stream == handle && last.changes == changes)
    return last.number;
  last = LaunchCache::Capture();
  uint64_t number = cuda::Captures.captureIn(handle);
  if (number && cuda::Captures.isOneOpen())
    last = {handle, number, changes, 0};
  return number;
}

} // namespace

GPUINSTR_HOT bool captureLaunch(ThreadState &thread, const CapturedLaunch &launch) {
  LaunchCache::Capture &last = thread.launches.capture;
  const uint64_t capture = captureFor(last, launch.handle);
  if (!capture)
    return false;
  const bool isSure = last.number == capture;
  const bool isTrusted = noteCapturedKernel(thread, launch, capture, isSure);
  if (isTrusted && launch.shape && !launch.shape->count)
    last.function = launch.function;
  return isTrusted;
}

void rememberCapture(LaunchCache &cache, uint64_t stream, const CallCapture &capture) {
  cache.capture = {stream, capture.number, capture.changes, 0};
}

} // namespace gpuinstr::audit
