// capture=: records only between cudaProfilerStart and Stop, or inside a named range.
// SPDX-License-Identifier: Apache-2.0
#include "nvtx/CaptureRange.h"
#include "base/Guard.h"
#include "base/Part.h"
#include "calls/Observer.h"
#include "nvtx/CaptureNvtx.h"
#include "options/Options.h"
#include <algorithm>
#include <atomic>
#include <mutex>

namespace gpuinstr {

std::atomic<bool> CapturesNamedRange{false};

namespace {

std::string *RangeName = nullptr; ///< leaked: used during exit
std::atomic<bool> EverOpen{false};
int64_t Open = 0; ///< ranges of that name, on all threads; under Mutex
std::mutex *Mutex = nullptr;

/// cudaProfilerStart and Stop do not nest; whether a profiler answers them does not matter here.
class ProfilerObserver : public Observer {
public:
  ProfilerObserver() : Observer(opBit(GPUINSTR_OP_PROFILER)) {}
  void before(const Call &call) override {
    if (call.operands.detail == 0)
      setPaused(PauseReason::OutsideCapture, true);
  }
  void after(const Call &call) override {
    if (call.operands.detail != 1)
      return;
    EverOpen.store(true);
    setPaused(PauseReason::OutsideCapture, false);
  }
};

constexpr std::string_view RangePrefix = "nvtx@";

} // namespace

/// With capture=always nothing is added.
static void startCapture() {
  const std::string &capture = options::options().capture;
  if (capture == "always")
    return;
  setPaused(PauseReason::OutsideCapture, true);
  if (capture.compare(0, RangePrefix.size(), RangePrefix) == 0) {
    Mutex = new std::mutex;
    RangeName = new std::string(capture.substr(RangePrefix.size()));
    startCaptureNvtx(*RangeName);
    CapturesNamedRange.store(true);
    return;
  }
  static ProfilerObserver *observer = new ProfilerObserver; // leaked: used during exit
  addObserver(*observer);
}

/// The order in which two threads open and close must be that in which they pause and resume.
void captureOpened(int change) {
  std::lock_guard<std::mutex> lock(*Mutex);
  Open += change;
  if (Open > 0)
    EverOpen.store(true);
  setPaused(PauseReason::OutsideCapture, Open <= 0);
}

void captureRangePushed(const char *name) {
  ThreadState *thread = capturesNamedRange() ? thisThread() : nullptr;
  if (!thread)
    return;
  BusyScope busy(*thread);
  guarded([&] {
    bool ours = name && *RangeName == name;
    thread->openRanges.push_back(ours);
    if (ours)
      captureOpened(1);
  });
}

void captureRangePopped() {
  ThreadState *thread = capturesNamedRange() ? thisThread() : nullptr;
  if (!thread || thread->openRanges.empty())
    return;
  BusyScope busy(*thread);
  bool ours = thread->openRanges.back();
  thread->openRanges.pop_back();
  if (ours)
    captureOpened(-1);
}

namespace {

/// The other threads are gone, and nobody would close their ranges.
void forgetOtherCaptures() {
  int64_t open = int64_t(startedCaptures());
  if (Self) {
    open += std::count(Self->openRanges.begin(), Self->openRanges.end(), true);
    for (const OpenNvtxRange &range : Self->nvtxRanges)
      open += range.ours;
  }
  captureOpened(int(open - Open));
}

class CapturePart : public Part {
public:
  void start() override { startCapture(); }
  void lock() override {
    if (!capturesNamedRange())
      return;
    captureNvtxMutex().lock();
    Mutex->lock();
  }
  void unlock() override {
    if (!capturesNamedRange())
      return;
    Mutex->unlock();
    captureNvtxMutex().unlock();
  }
  void childAfterFork() override {
    if (capturesNamedRange())
      forgetOtherCaptures();
  }
  /// What capture= waited for in vain.
  void notes(std::vector<std::string> &to, Ending) override {
    const std::string &capture = options::options().capture;
    if (capture == "always" || EverOpen.load())
      return;
    to.push_back("capture=" + capture +
                 (RangeName ? ": no range of that name was opened, nothing was recorded"
                            : ": cudaProfilerStart was not called, nothing was recorded"));
  }
};

} // namespace

Part &capturePart() {
  static Part *part = new CapturePart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
