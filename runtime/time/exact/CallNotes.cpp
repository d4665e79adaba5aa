// Notes in each thread's log what its calls ask of the device.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/CallNotes.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/text/Stderr.h"
#include "calls/CallHooks.h"
#include "calls/CaptureObserver.h"
#include "calls/Observer.h"
#include "calls/threads/DecodedOperands.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "time/common/TimesEpoch.h"
#include "time/exact/CuptiSession.h"
#include "trace/Trace.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

constexpr uint64_t HostOperations = opBit(GPUINSTR_OP_ALLOC) | opBit(GPUINSTR_OP_FREE) |
                                    opBit(GPUINSTR_OP_CREATE) | opBit(GPUINSTR_OP_DESTROY) |
                                    opBit(GPUINSTR_OP_SYNC_DEVICE) |
                                    opBit(GPUINSTR_OP_SYNC_STREAM) | opBit(GPUINSTR_OP_SYNC_EVENT);
constexpr uint64_t SetOperations =
    opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) | opBit(GPUINSTR_OP_SET_3D);
constexpr uint64_t CopyOperations = opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                                    opBit(GPUINSTR_OP_COPY_3D) | opBit(GPUINSTR_OP_COPY_SYMBOL) |
                                    opBit(GPUINSTR_OP_COPY_ARRAY) | opBit(GPUINSTR_OP_COPY_BATCH);
constexpr uint64_t AllOperations = HostOperations | SetOperations | CopyOperations |
                                   opBit(GPUINSTR_OP_LAUNCH) | opBit(GPUINSTR_OP_GRAPH_LAUNCH) |
                                   opBit(GPUINSTR_OP_LIBRARY);
/// Until the first call has returned: its time is CUDA's own start.
constexpr uint64_t AnyOperation = ~(opBit(GPUINSTR_OP_CALLER) | opBit(GPUINSTR_OP_REGION) |
                                    opBit(GPUINSTR_OP_GET_ERROR) | opBit(GPUINSTR_OP_PEEK_ERROR));

/// CUPTI's own thread hands buffers back; beyond so many it has fallen behind, and a thread of the
/// program does its work.
constexpr uint64_t MostBuffersOut = 256;

std::atomic<bool> WantsFlush{false};

class CaptureObserver : public Observer {
public:
  CaptureObserver() : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN)) {}
  void after(const Call &call) override {
    if (call.failed || !cuptiSession().isOn())
      return;
    if (ThreadLog *log = logOf(call.thread))
      log->capture = cuptiSession().newCapture();
  }
  /// While each call is noted, none goes the short way.
  const ShortLook *shortLook(const gpuinstr_site &) const override { return &NoLook; }
};

bool isOn(uint64_t operations, unsigned op) { return operations & opBit(op & 63); }

/// A call in progress may have been left by an exception.
bool hasOpenCall(ThreadState &thread) {
  if (!thread.exact.frame)
    return false;
  for (uint32_t i = 0; i + 1 < thread.depth; ++i)
    if (thread.frames[i].frame == thread.exact.frame)
      return true;
  thread.exact.frame = nullptr;
  return false;
}

/// What a call asks of the device, but for its site and time. False: no record will come.
bool describe(ThreadState &thread, const gpuinstr_frame &frame, LogEntry &entry, uint64_t &stream) {
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  stream = operation.stream;
  if (operation.op == GPUINSTR_OP_LAUNCH) {
    const cuda::LaunchConfig &launch = operation.launch;
    entry.asked = Asked::Kernel;
    entry.shape = shapeOf(launch.grid, launch.block, launch.shared);
    entry.what = launch.function;
    return launch.known;
  }
  if (operation.op == GPUINSTR_OP_GRAPH_LAUNCH) {
    entry.asked = Asked::Graph;
    return true;
  }
  entry.asked = isOn(SetOperations, operation.op) ? Asked::Set : Asked::Copy;
  entry.blocks = entry.asked == Asked::Copy && !(operation.flags & GPUINSTR_SITE_ASYNC);
  entry.what = operation.bytes == UINT64_MAX ? 0 : operation.bytes;
  bool known = operation.dst.address || operation.src.address;
  return entry.what != 0 || !known; // nothing is copied: no record
}

bool isCaptured(ThreadState &thread, const LogEntry &entry, uint64_t stream) {
  if (!cuda::Captures.isCapturing(stream))
    return false;
  ThreadLog *log = logOf(thread);
  cuptiSession().addCaptured(log->capture, {entry.site, entry.asked, entry.shape, entry.what});
  return true;
}

void note(ThreadState &thread, const gpuinstr_frame &frame) {
  ThreadLog *log = logOf(thread);
  LogEntry *entry = log ? log->log.next() : nullptr;
  if (!entry)
    return;
  *entry = LogEntry();
  entry->site = thread.paused ? 0 : thread.root.site;
  entry->epoch = uint8_t(timesEpoch());
  entry->correlation = trace::correlationOfCall(thread);
  uint64_t stream = 0;
  if (frame.site->op == GPUINSTR_OP_LIBRARY)
    entry->asked = Asked::Library;
  else if (!describe(thread, frame, *entry, stream) || isCaptured(thread, *entry, stream))
    return;
  else
    thread.exact.entry = entry;
  entry->startTicks = ticks();
  log->log.publish();
}

} // namespace

void noteBuffersOut(uint64_t count) {
  if (count > MostBuffersOut)
    WantsFlush.store(true, std::memory_order_relaxed);
}

void addCaptureObserver() {
  static CaptureObserver *observer = new CaptureObserver; // leaked: used during exit
  watchCaptures();
  addObserver(*observer);
}

void endExactThread(ThreadState &thread) {
  cuptiSession().endLog(static_cast<ThreadLog *>(thread.exact.log));
  thread.exact.log = nullptr;
}

void startNotes() { ExactOperations.store(AnyOperation); }
void stopNotes() { ExactOperations.store(0); }

void beginExact(ThreadState &thread, const gpuinstr_frame &frame) {
  const gpuinstr_site &site = *frame.site;
  if (hasOpenCall(thread))
    return;
  bool needsSlots = !isOn(HostOperations, site.op) && site.op != GPUINSTR_OP_LIBRARY;
  if (needsSlots && site.slots == 0 && ExactOperations.load() == AllOperations)
    return;
  BusyScope busy(thread);
  thread.exact.entry = nullptr;
  if (isOn(AllOperations & ~HostOperations, site.op) && (!needsSlots || site.slots))
    guarded([&] { note(thread, frame); });
  if (site.op == GPUINSTR_OP_LIBRARY || (site.op == GPUINSTR_OP_LAUNCH && !site.slots))
    return;
  thread.exact.frame = &frame;
  thread.exact.startTicks = ticks();
}

void endExact(ThreadState &thread, bool failed) {
  uint64_t now = ticks();
  uint64_t start = thread.exact.startTicks;
  unsigned op = thread.exact.frame->site->op;
  thread.exact.frame = nullptr;
  if (auto *entry = static_cast<LogEntry *>(thread.exact.entry)) {
    __atomic_store_n(&entry->callTicks, uint32_t(std::min<uint64_t>(now - start, UINT32_MAX)),
                     __ATOMIC_RELAXED);
    if (failed)
      __atomic_store_n(&entry->dead, 1, __ATOMIC_RELAXED);
    thread.exact.entry = nullptr;
  }
  uint64_t operations = ExactOperations.load(std::memory_order_relaxed);
  bool first = operations == AnyOperation;
  if (__builtin_expect(!first && !isOn(HostOperations, op), true)) {
    if (__builtin_expect(WantsFlush.load(std::memory_order_relaxed), false)) {
      WantsFlush.store(false);
      BusyScope busy(thread);
      cuptiSession().flush(false);
    }
    return;
  }
  BusyScope busy(thread);
  guarded([&] {
    if (first && ExactOperations.compare_exchange_strong(operations, AllOperations))
      cuptiSession().addStartUp(now);
    else if (isOn(HostOperations, op))
      cuptiSession().addHost(op == GPUINSTR_OP_SYNC_DEVICE || op == GPUINSTR_OP_SYNC_STREAM ||
                                     op == GPUINSTR_OP_SYNC_EVENT
                                 ? Activity::Sync
                                 : Activity::Allocation,
                             start, now);
  });
}

} // namespace gpuinstr::timing
