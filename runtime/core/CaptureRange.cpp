// capture=: records only between cudaProfilerStart and Stop, or inside a named range.
// SPDX-License-Identifier: Apache-2.0
#include "core/CaptureRange.h"
#include "core/Guard.h"
#include "core/Observer.h"
#include "options/Options.h"
#include <atomic>
#include <mutex>

namespace gpuinstr::core {

namespace {

std::atomic<bool> Named{false}; ///< capture=nvtx@NAME: ranges are looked at
std::string *Name = nullptr;    ///< leaked: used during exit
std::atomic<int64_t> Open{0};   ///< ranges of that name, on all threads
std::mutex *Mutex = nullptr;

/// The order in which two threads open and close must be that in which they pause and resume.
void opened(int change) {
  std::lock_guard<std::mutex> lock(*Mutex);
  setPaused(PauseReason::OutsideCapture, Open.fetch_add(change) + change <= 0);
}

/// cudaProfilerStart and Stop do not nest; whether a profiler answers them does not matter here.
class ProfilerObserver : public Observer {
public:
  ProfilerObserver() : Observer(opBit(GPUINSTR_OP_PROFILER)) {}
  void before(const Call &call) override {
    if (call.operation.detail == 0)
      setPaused(PauseReason::OutsideCapture, true);
  }
  void after(const Call &call) override {
    if (call.operation.detail == 1)
      setPaused(PauseReason::OutsideCapture, false);
  }
};

constexpr std::string_view RangePrefix = "nvtx@";

} // namespace

void startCapture() {
  const std::string &capture = options::options().capture;
  if (capture == "always")
    return;
  Mutex = new std::mutex;
  setPaused(PauseReason::OutsideCapture, true);
  if (capture.compare(0, RangePrefix.size(), RangePrefix) == 0) {
    Name = new std::string(capture.substr(RangePrefix.size()));
    Named.store(true);
    return;
  }
  static ProfilerObserver *observer = new ProfilerObserver; // leaked: used during exit
  addObserver(*observer);
}

void captureRangePushed(const char *name) {
  ThreadState *thread = Named.load(std::memory_order_relaxed) ? thisThread() : nullptr;
  if (!thread)
    return;
  BusyScope busy(*thread);
  guarded([&] {
    bool ours = name && *Name == name;
    thread->openRanges.push_back(ours);
    if (ours)
      opened(1);
  });
}

void captureRangePopped() {
  ThreadState *thread = Named.load(std::memory_order_relaxed) ? thisThread() : nullptr;
  if (!thread || thread->openRanges.empty())
    return;
  BusyScope busy(*thread);
  bool ours = thread->openRanges.back();
  thread->openRanges.pop_back();
  if (ours)
    opened(-1);
}

} // namespace gpuinstr::core
