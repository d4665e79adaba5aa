// Which kernels each site launched.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/Kernels.h"
#include "base/HotCode.h"
#include "base/Part.h"
#include "calls/Observer.h"
#include "calls/OneTimeCosts.h"
#include "calls/sites/Sites.h"
#include "cuda/Driver.h"
#include "profile/Profile.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {
constexpr size_t MaxKernels = 64; ///< of one site

struct KernelStore {
  std::mutex mutex;
  std::unordered_map<SiteIndex, std::vector<std::string>> names;
};
KernelStore &kernelStore() {
  static KernelStore *instance = new KernelStore; // leaked: used during exit
  return *instance;
}

/// Of what threads have noted; 0 is none.
std::atomic<uint64_t> Generation{1};

unsigned placeOf(uint64_t function, SiteIndex site) {
  uint64_t key = function ^ uint64_t(site) << 40;
  return unsigned(key * 0x9e3779b97f4a7c15u >> (64 - ThreadState::NotedBits));
}
uint64_t generation() { return Generation.load(std::memory_order_relaxed) + kernelGeneration(); }
} // namespace

// Lines of libraries launch many kernels in turn: none is named twice.
GPUINSTR_HOT bool isNotedKernel(const ThreadState &thread, uint64_t function) {
  const NotedKernel &noted = thread.noted[placeOf(function, thread.root.site)];
  return noted.function == function && noted.site == thread.root.site &&
         noted.generation == generation();
}

void noteKernel(ThreadState &thread, const gpuinstr_frame &frame) {
  uint64_t function = frame.slot[GPUINSTR_SLOT_FUNC];
  thread.root.counters->lastKernel = function;
  BusyScope busy(thread);
  NotedKernel &noted = thread.noted[placeOf(function, thread.root.site)];
  noted.function = function;
  noted.site = thread.root.site;
  noted.generation = generation();
  noteFirstLaunch(thread, function);
  std::string name = kernelName(reinterpret_cast<const void *>(function));
  if (name.empty())
    name = driverKernelName(function, frame.site->flags & GPUINSTR_SITE_DRIVER);
  if (name.empty())
    return;
  KernelStore &s = kernelStore();
  std::lock_guard<std::mutex> lock(s.mutex);
  std::vector<std::string> &names = s.names[thread.root.site];
  if (names.size() > MaxKernels || std::find(names.begin(), names.end(), name) != names.end())
    return;
  names.push_back(names.size() < MaxKernels ? std::move(name) : profile::OtherKernels);
}

std::vector<std::string> kernelsOf(SiteIndex site) {
  KernelStore &s = kernelStore();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto it = s.names.find(site);
  return it == s.names.end() ? std::vector<std::string>() : it->second;
}

void forgetNotedKernels() {
  Generation.fetch_add(1);
  forgetAttributions();
}

namespace {
/// Calls after which the driver gives a kernel's handle to another one, as JAX meets when it tries
/// out kernels. What is known of the handle goes before the call: others may load while it runs.
class UnloadObserver : public Observer {
public:
  UnloadObserver() : Observer(opBit(GPUINSTR_OP_OTHER) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  void before(const Call &call) override {
    if (call.operands.op == GPUINSTR_OP_RESET_DEVICE || call.operands.detail == Unloads)
      forgetKernelHandles();
  }

private:
  static constexpr unsigned Unloads = 1; // detail of OTHER: CudaApi.def
};

class KernelsPart : public Part {
public:
  void start() override {
    static auto *observer = new UnloadObserver; // leaked: used during exit
    addObserver(*observer);
  }
  void lock() override { kernelStore().mutex.lock(); }
  void unlock() override { kernelStore().mutex.unlock(); }
  void childAfterFork() override { reset(); }
  void reset() override {
    std::lock_guard<std::mutex> lock(kernelStore().mutex);
    kernelStore().names.clear();
    forgetNotedKernels();
  }
};
} // namespace

Part &kernelsPart() {
  static Part *part = new KernelsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
