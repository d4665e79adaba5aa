// The engine of one context.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/ContextEngine.h"
#include "audit/hash/DeviceCode.h"
#include "calls/budget/OwnStart.h"
#include <algorithm>
#include <chrono>

namespace gpuinstr::audit {

namespace {

// From cuda.h.
constexpr int AlreadyRegistered = 712;
constexpr int CaptureUnsupported = 900, CaptureImplicit = 906, CaptureWrongThread = 908;
constexpr int AttributeMultiprocessors = 16, AttributeMemoryKHz = 36, AttributeBusBits = 37;
constexpr unsigned RegisterDeviceMap = 2;

constexpr uint32_t FailuresAllowed = 3;
/// Partial sums and code: what a load was seen to take, in whole pages of the device.
constexpr uint64_t ModuleBytes = 4u << 20;
/// The driver takes 0.5 ms for the memory's clock (H200, driver 580): not before a wrong bandwidth
/// would have been charged for as much.
constexpr uint64_t BandwidthFrom = 256 << 20;
/// Of a multiprocessor, until then: by their data sheets an L4 has 5, an L40S 6, an H200 36.
constexpr double LeastBytesPerNs = 6;
/// About a kernel's own start and end, on top of the launch.
constexpr uint64_t KernelNs = 3000;

bool isCaptureError(int result) {
  return result >= CaptureUnsupported && result <= CaptureWrongThread;
}

uint64_t nowNs() {
  using namespace std::chrono;
  return uint64_t(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

} // namespace

bool ContextEngine::create(const DriverApi &api, uint64_t cap) {
  Api = &api;
  if (!api.moduleLoadData || !api.moduleGetFunction || !api.launchKernel || !api.memHostRegister ||
      !api.memHostGetDevicePointer || !api.streamIsCapturing || !api.streamSynchronize ||
      !api.streamWaitEvent || !api.eventCreate || !api.eventRecord || !api.eventQuery)
    return false;
  uint64_t free = 0, total = 0;
  if (cap < ModuleBytes || !memoryInfo(free, total) || free < 2 * ModuleBytes)
    return false;
  RelaxedCapture relaxed(api);
  readDevice();
  if (!registerRecords() || !loadKernels() || !createMarks())
    return false;
  DeviceBytes = ModuleBytes;
  BytesLeft = free - ModuleBytes;
  Failures = 0;
  Off.store(false, std::memory_order_release);
  return true;
}

void ContextEngine::readDevice() {
  int processors = 0;
  AskedBytes = 0; // a reused engine's device may be another
  BandwidthIsRead = false;
  if (!Api->deviceGetAttribute || !Api->ctxGetDevice || Api->ctxGetDevice(&Device) != Success)
    return;
  if (Api->deviceGetAttribute(&processors, AttributeMultiprocessors, Device) != Success)
    return;
  Multiprocessors = uint32_t(std::max(1, processors));
  BytesPerNs = std::max(1.0, LeastBytesPerNs * Multiprocessors);
}

void ContextEngine::readBandwidth() const {
  int kHz = 0, bits = 0;
  if (Device < 0 || BandwidthIsRead.exchange(true))
    return;
  OwnStart start;
  if (Api->deviceGetAttribute(&kHz, AttributeMemoryKHz, Device) == Success &&
      Api->deviceGetAttribute(&bits, AttributeBusBits, Device) == Success && kHz > 0 && bits > 0)
    BytesPerNs = std::max(1.0, 0.8 * 2 * kHz * 1e3 * (bits / 8) * 1e-9);
}

bool ContextEngine::registerRecords() {
  if (!All.create())
    return false;
  int result = Api->memHostRegister(All.memory(), Records::bytes(), RegisterDeviceMap);
  // A reused engine's memory, where its former context is not gone altogether.
  if (result != Success && result != AlreadyRegistered)
    return false;
  return Api->memHostGetDevicePointer(&RecordsOnDevice, All.memory(), 0) == Success;
}

bool ContextEngine::loadKernels() {
  void *module = nullptr;
  if (Api->moduleLoadData(&module, deviceCode()) != Success)
    return false;
  for (unsigned i = 0; i < HashKernels; ++i) {
    if (Api->moduleGetFunction(&Functions[i], module, nameOf(HashKernel(i))) != Success)
      return false;
    // Under lazy loading the first launch would else load it, and may wait for the device.
    if (Api->funcLoad && Api->funcLoad(Functions[i]) != Success)
      return false;
  }
  return true;
}

Ticket ContextEngine::begin(EnqueueResult &why) {
  why = EnqueueResult::NoDevice;
  if (Off.load(std::memory_order_acquire))
    return 0;
  Ticket ticket = All.begin();
  why = ticket ? EnqueueResult::None : EnqueueResult::Full;
  return ticket;
}

// Asking about the legacy stream is safe: where a blocking stream of the context is under capture,
// the answer is an error and that capture stays valid. A launch into it would not leave it so.
bool ContextEngine::isCapturing(uint64_t stream) {
  int status = 0;
  return Api->streamIsCapturing(reinterpret_cast<void *>(stream), &status) != Success ||
         status != 0;
}

EnqueueResult ContextEngine::enqueue(Ticket ticket, bool after, const cuda::Region &region,
                                     uint64_t stream) {
  if (Off.load(std::memory_order_acquire))
    return EnqueueResult::NoDevice;
  hash::Work work;
  HashKernel kernel;
  if (!makeWork(region, work, kernel))
    return EnqueueResult::Failed;
  RelaxedCapture relaxed(*Api);
  if (isCapturing(stream))
    return EnqueueResult::Capturing;
  Records::Place place;
  if (EnqueueResult why = All.announce(ticket, after, place); why != EnqueueResult::None)
    return why;
  work.result = RecordsOnDevice + place.slot * sizeof(hash::Result);
  work.stamp = place.stamp;
  work.scratch = place.slot;
  EnqueueResult why = launch(kernel, work, stream);
  if (why != EnqueueResult::None)
    All.withdraw(ticket, after, place);
  return why;
}

EnqueueResult ContextEngine::launch(HashKernel kernel, hash::Work &work, uint64_t stream) {
  void *parameters[] = {&work};
  uint64_t begin = nowNs();
  int result = Api->launchKernel(Functions[unsigned(kernel)],
                                 blocksFor(work.bytes, Multiprocessors), 1, 1, HashThreads, 1, 1, 0,
                                 reinterpret_cast<void *>(stream), parameters, nullptr);
  if (result != Success)
    return failed(result);
  Failures.store(0, std::memory_order_relaxed);
  // One eighth of the way; a launch that was scheduled away must not count for long.
  uint64_t took = std::min<uint64_t>(nowNs() - begin, 50000);
  uint64_t mean = LaunchNs.load(std::memory_order_relaxed);
  LaunchNs.store(mean - mean / 8 + took / 8, std::memory_order_relaxed);
  return EnqueueResult::None;
}

EnqueueResult ContextEngine::failed(int result) {
  if (isCaptureError(result)) // one that began since we asked
    return EnqueueResult::Capturing;
  if (Failures.fetch_add(1, std::memory_order_relaxed) + 1 >= FailuresAllowed)
    drop();
  return EnqueueResult::Failed;
}

bool ContextEngine::finish(Ticket ticket, uint64_t stream) {
  // The hash of what a blocking call moved is mostly there at once: the driver's own wait costs
  // more.
  constexpr uint64_t SpinNs = 30000;
  for (uint64_t begin = nowNs(); nowNs() - begin < SpinNs;) {
    if (All.arrived(ticket))
      return true;
    __builtin_ia32_pause();
  }
  if (Off.load(std::memory_order_acquire))
    return All.arrived(ticket);
  RelaxedCapture relaxed(*Api);
  int result = Api->streamSynchronize(reinterpret_cast<void *>(stream));
  if (result != Success)
    failed(result);
  return All.arrived(ticket);
}

uint64_t ContextEngine::estimateNs(uint64_t bytes) const {
  if (!BandwidthIsRead.load(std::memory_order_relaxed) &&
      AskedBytes.fetch_add(bytes, std::memory_order_relaxed) + bytes >= BandwidthFrom)
    readBandwidth();
  return LaunchNs.load(std::memory_order_relaxed) + KernelNs +
         uint64_t(double(bytes) / BytesPerNs.load(std::memory_order_relaxed));
}

} // namespace gpuinstr::audit
