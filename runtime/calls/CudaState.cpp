// What happened in this process as a whole.
// SPDX-License-Identifier: Apache-2.0
#include "calls/CudaState.h"
#include "base/Part.h"
#include "calls/CallHooks.h"
#include "calls/OneTimeCosts.h"
#include "calls/threads/Thread.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"

namespace gpuinstr {

namespace {
std::atomic<bool> Used{false}, Up{false};
std::atomic<SiteIndex> FirstSite{0};
} // namespace

void noteCudaCall(SiteIndex site) {
  if (Used.load(std::memory_order_acquire))
    return;
  SiteIndex none = 0;
  if (!isPaused()) // else CUDA's start is in no recorded call
    FirstSite.compare_exchange_strong(none, site);
  if (Used.exchange(true))
    return;
  Hooks.firstCudaCall();
}

bool cudaUsed() { return Used.load(std::memory_order_acquire); }
SiteIndex firstCudaSite() { return FirstSite.load(); }

void noteSuccess(ThreadState &thread, const gpuinstr_site &site) {
  bool needsDevice = site.op == GPUINSTR_OP_ALLOC || site.op == GPUINSTR_OP_CREATE;
  uint32_t tries = ++thread.successes;
  bool up = Up.load(std::memory_order_acquire);
  bool slow = !up && noteBeforeContext(thread);
  if (!needsDevice && !slow && (tries & (tries - 1)))
    return;
  if (!up) {
    BusyScope busy(thread);
    // Some calls succeed before there is a context: cudaGetLastError, cudaDriverGetVersion.
    if (!findDriver() || !currentContext())
      return;
    currentDevice();
    if (!Up.exchange(true)) {
      noteContext(thread);
      Hooks.cudaCameUp();
    }
  }
  thread.notUp = false;
}

namespace {
class CudaStatePart : public Part {
public:
  /// Nothing happened yet.
  void childAfterFork() override {
    Used.store(false);
    Up.store(false);
    FirstSite.store(0);
    cuda::Captures.forget();
  }
};
} // namespace

Part &cudaStatePart() {
  static Part *part = new CudaStatePart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
