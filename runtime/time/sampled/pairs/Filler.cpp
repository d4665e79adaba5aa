// Work of our own before the first event of a pair, which keeps the device busy until the operation
// is there.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/Filler.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/budget/DeviceMemoryCap.h"
#include "cuda/AttachedTools.h"
#include "options/Options.h"
#include "time/sampled/pairs/EventPairs.h"
#include <algorithm>
#include <memory>
#include <new>

namespace gpuinstr::timing {

namespace {

/// Rows of one byte each: the driver's kernel does one after the other, 0.67 us for 1000 (H100,
/// more where its clock is low). More than 32,000 it does in pieces, which takes the host longer.
constexpr uint32_t FirstRows = 14000, LeastRows = 1000, MostRows = 28000;
constexpr size_t Pitch = 2;
/// All of one block: in the rest of it the driver would put small allocations of the program's, and
/// keep it for them, so that cudaMalloc takes 2.4 us where it took 88.
constexpr size_t Bytes = TimesDeviceBytes;
constexpr unsigned Parts = Bytes / (MostRows * Pitch);
static_assert(Parts >= 32);
/// What the fillers may be too long by, and the longest call that they are to cover. One that was
/// too short spoils a sample, one that was too long holds the device up for a moment: they grow
/// sooner than they shrink.
constexpr double SpareNs = 4000, LongestCallNs = 20000;
constexpr unsigned NonBlocking = 1;

std::atomic<uint64_t> Held{0};

} // namespace

uint64_t Filler::heldBytes() { return Held.load(std::memory_order_relaxed); }

void Filler::forgetHeld() { Held.store(0, std::memory_order_relaxed); }

bool Filler::fill(const DriverApi &api, void *stream, unsigned pair) const {
  return api.memsetD2D8Async(Address + pair % Parts * MostRows * Pitch, Pitch, 0, 1,
                             Rows.load(std::memory_order_relaxed), stream) == Success;
}

void Filler::lacked(double ns, double callNs) {
  const uint32_t rows = Rows.load(std::memory_order_relaxed);
  if (ns > 0 && callNs < LongestCallNs)
    Rows.store(std::min(rows + rows / 4, MostRows), std::memory_order_relaxed);
  else if (ns < -SpareNs)
    Rows.store(std::max(rows - rows / 32, LeastRows), std::memory_order_relaxed);
}

Filler *Filler::make(const DriverApi &api) {
  if (!api.memAlloc || !api.memsetD2D8Async || !api.streamQuery || !api.streamCreate ||
      !api.streamDestroy || !cuda::attachedTool().name.empty())
    return nullptr;
  uint64_t free = 0, total = 0;
  if (!timesMayTake(options::options().device_memory) || !memoryInfo(free, total) ||
      free < 2 * Bytes)
    return nullptr;
  auto filler = std::unique_ptr<Filler>(new (std::nothrow) Filler);
  void *stream = nullptr;
  if (!filler || api.memAlloc(&filler->Address, Bytes) != Success ||
      api.streamCreate(&stream, NonBlocking) != Success)
    return nullptr;
  Held.fetch_add(Bytes, std::memory_order_relaxed);
  filler->Rows.store(FirstRows);
  // The first one may load code of the driver's: not in the program's stream.
  const bool works = filler->fill(api, stream, 0);
  api.streamDestroy(stream);
  return works ? filler.release() : nullptr;
}

namespace {

class AfterAllocations : public Observer {
public:
  AfterAllocations() : Observer(0, opBit(GPUINSTR_OP_ALLOC)) {}
  /// The first of a context is none that comes again.
  const ShortLook *shortLook(const gpuinstr_site &) const override { return &NoLook; }

  void after(const Call &call) override {
    const DriverApi *api = driverApi();
    const unsigned resource = call.site.resource;
    const bool isMemory = resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_PITCHED ||
                          resource == GPUINSTR_RES_MANAGED;
    if (call.failed || !isMemory || !api || !api->timesEvents() ||
        !TimedOperations.load(std::memory_order_relaxed))
      return;
    RelaxedCapture relaxed(*api);
    makeFiller(*api, surroundingsOf(call).context);
  }
};

} // namespace

void addFillerObserver() {
  static auto *observer = new AfterAllocations; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr::timing
