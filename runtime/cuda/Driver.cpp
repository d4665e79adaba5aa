// Questions to CUDA's driver: what lives, how far it reaches, on which device.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/Driver.h"
#include "base/HotCode.h"
#include "base/locks/LeafMutex.h"
#include "base/text/KernelName.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace gpuinstr {

namespace {

// From cuda.h; unchanged since CUDA 4 and 11.
constexpr int Success = 0, InvalidValue = 1, NotFound = 500;
constexpr int AttributeBufferId = 7;

GPUINSTR_HOT_DATA std::atomic<const DriverApi *> Api{nullptr};

struct Devices {
  LeafMutex mutex; ///< behind it the driver is asked
  std::vector<DeviceInfo> seen;
};
Devices &devices() {
  static Devices *instance = new Devices; // leaked: used during exit
  return *instance;
}

const DriverApi *api() { return Api.load(std::memory_order_acquire); }

/// `before`: what drivers have that lack the newer one.
template <class F>
void find(void *library, F *&function, const char *name, const char *before = nullptr) {
  function = reinterpret_cast<F *>(dlsym(library, name));
  if (!function && before)
    find(library, function, before);
}

/// Bit i: device i was remembered; those take no lock. Others are few.
GPUINSTR_HOT_DATA std::atomic<uint64_t> Known{0};

uint64_t bitOf(int ordinal) { return ordinal >= 0 && ordinal < 64 ? uint64_t(1) << ordinal : 0; }

bool isKnown(int ordinal) { return Known.load(std::memory_order_relaxed) & bitOf(ordinal); }

__attribute__((noinline)) void remember(const DriverApi &d, int ordinal) {
  RelaxedCapture relaxed(d);
  Known.fetch_or(bitOf(ordinal), std::memory_order_relaxed);
  Devices &all = devices();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const DeviceInfo &seen : all.seen)
    if (seen.ordinal == ordinal)
      return;
  DeviceInfo info{ordinal, "", 0, ""};
  char name[256] = "";
  if (d.deviceGetName && d.deviceGetName(name, sizeof name, ordinal) == Success)
    info.name = name;
  size_t bytes = 0;
  if (d.deviceTotalMem && d.deviceTotalMem(&bytes, ordinal) == Success)
    info.memory = bytes;
  char busId[32] = "";
  if (d.deviceGetPciBusId && d.deviceGetPciBusId(busId, sizeof busId, ordinal) == Success)
    info.busId = busId;
  all.seen.push_back(std::move(info));
}

} // namespace

GPUINSTR_HOT const DriverApi *driverApi() { return api(); }

bool findDriver() {
  if (api())
    return true;
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return false;
  auto *d = new DriverApi;
  find(library, d->memGetAddressRange, "cuMemGetAddressRange_v2");
  find(library, d->pointerGetAttribute, "cuPointerGetAttribute");
  find(library, d->pointerGetAttributes, "cuPointerGetAttributes");
  find(library, d->ctxGetCurrent, "cuCtxGetCurrent");
  find(library, d->ctxGetDevice, "cuCtxGetDevice");
  find(library, d->memGetInfo, "cuMemGetInfo_v2");
  find(library, d->deviceGetName, "cuDeviceGetName");
  find(library, d->deviceTotalMem, "cuDeviceTotalMem_v2");
  find(library, d->deviceGetPciBusId, "cuDeviceGetPCIBusId");
  find(library, d->threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode");
  find(library, d->streamIsCapturing, "cuStreamIsCapturing");
  find(library, d->streamGetCaptureInfo, "cuStreamGetCaptureInfo_v2");
  find(library, d->funcGetName, "cuFuncGetName");
  find(library, d->kernelGetName, "cuKernelGetName");
  find(library, d->ctxGetId, "cuCtxGetId");
  find(library, d->deviceGetAttribute, "cuDeviceGetAttribute");
  find(library, d->memHostRegister, "cuMemHostRegister_v2");
  find(library, d->memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
  find(library, d->moduleLoadData, "cuModuleLoadData");
  find(library, d->moduleGetFunction, "cuModuleGetFunction");
  find(library, d->moduleGetGlobal, "cuModuleGetGlobal_v2");
  find(library, d->libraryGetGlobal, "cuLibraryGetGlobal");
  find(library, d->funcLoad, "cuFuncLoad");
  find(library, d->launchKernel, "cuLaunchKernel");
  find(library, d->streamSynchronize, "cuStreamSynchronize");
  find(library, d->streamQuery, "cuStreamQuery");
  find(library, d->streamWaitEvent, "cuStreamWaitEvent");
  find(library, d->eventCreate, "cuEventCreate");
  find(library, d->eventRecord, "cuEventRecord");
  find(library, d->eventQuery, "cuEventQuery");
  find(library, d->eventElapsedTime, "cuEventElapsedTime_v2", "cuEventElapsedTime");
  find(library, d->streamCreate, "cuStreamCreate");
  find(library, d->streamDestroy, "cuStreamDestroy_v2");
  find(library, d->memAlloc, "cuMemAlloc_v2");
  find(library, d->memsetD2D8Async, "cuMemsetD2D8Async");
  d->simulated = dlsym(library, "gpuinstr_simulator_version") != nullptr;
  const DriverApi *none = nullptr;
  if (!Api.compare_exchange_strong(none, d))
    delete d;
  return true;
}

void useDriver(const DriverApi &replacement) { Api.store(new DriverApi(replacement)); }

bool driverIsSimulated() { return api() && api()->simulated; }

GPUINSTR_HOT uint64_t currentContext() {
  const DriverApi *d = api();
  void *context = nullptr;
  if (!d || !d->ctxGetCurrent || d->ctxGetCurrent(&context) != Success)
    return 0;
  return reinterpret_cast<uint64_t>(context);
}

GPUINSTR_HOT int currentDevice() {
  const DriverApi *d = api();
  int ordinal = -1;
  if (!d || !d->ctxGetDevice || d->ctxGetDevice(&ordinal) != Success)
    return -1;
  if (!isKnown(ordinal))
    remember(*d, ordinal);
  return ordinal;
}

GPUINSTR_HOT NewMemory newDeviceMemory(uint64_t address) {
  const DriverApi *d = api();
  if (!d || !d->pointerGetAttributes)
    return {};
  int attributes[2] = {d->ofNewMemory[0], d->ofNewMemory[1]};
  uint64_t id = 0, ordinal = 0; // of the second, drivers write four bytes
  void *values[] = {&id, &ordinal};
  if (d->pointerGetAttributes(2, attributes, values, address) != Success || id == 0)
    return {};
  if (!isKnown(int(ordinal)))
    remember(*d, int(ordinal));
  return {id, int(ordinal)};
}

GPUINSTR_HOT uint64_t bufferIdOf(uint64_t address) {
  const DriverApi *d = api();
  if (!d || !d->pointerGetAttribute)
    return 0;
  RelaxedCapture relaxed(*d);
  uint64_t id = 0;
  return d->pointerGetAttribute(&id, AttributeBufferId, address) == Success ? id : 0;
}

namespace {
Life lifeAt(const DriverApi &d, uint64_t address, uint64_t &id) {
  RelaxedCapture relaxed(d);
  const int result = d.pointerGetAttribute(&id, AttributeBufferId, address);
  if (result == Success)
    return Life::Alive;
  return result == InvalidValue || result == NotFound ? Life::Dead : Life::Unknown;
}
} // namespace

Life lifeOf(uint64_t address, uint64_t bufferId) {
  const DriverApi *d = api();
  if (!d || !d->pointerGetAttribute || bufferId == 0)
    return Life::Unknown;
  uint64_t id = 0;
  const Life life = lifeAt(*d, address, id);
  return life == Life::Alive && id != bufferId ? Life::Dead : life;
}

Life lifeAt(uint64_t address) {
  const DriverApi *d = api();
  uint64_t id = 0;
  return d && d->pointerGetAttribute ? lifeAt(*d, address, id) : Life::Unknown;
}

DriverRange driverRange(uint64_t address) {
  DriverRange range;
  const DriverApi *d = api();
  if (!d || !d->memGetAddressRange)
    return range;
  RelaxedCapture relaxed(*d);
  size_t bytes = 0;
  int result = d->memGetAddressRange(&range.base, &bytes, address);
  range.bytes = bytes;
  if (result == Success)
    range.life = Life::Alive;
  else if (result == InvalidValue || result == NotFound)
    range.life = Life::Dead;
  return range;
}

bool memoryInfo(uint64_t &free, uint64_t &total) {
  const DriverApi *d = api();
  size_t f = 0, t = 0;
  if (!d || !d->memGetInfo || !currentContext())
    return false;
  RelaxedCapture relaxed(*d);
  if (d->memGetInfo(&f, &t) != Success)
    return false;
  free = f;
  total = t;
  return true;
}

std::string driverKernelName(uint64_t function, bool isDriverCall) {
  const DriverApi *d = api();
  // A host stub is no driver handle, and the driver would follow it as a pointer.
  if (!d || !isDriverCall || !d->funcGetName)
    return {};
  RelaxedCapture relaxed(*d);
  const char *name = nullptr;
  if (d->funcGetName(&name, reinterpret_cast<void *>(function)) == Success && name)
    return shortKernelName(name);
  // Launches take kernels of libraries as well, which cudart's and Numba's all are.
  if (d->kernelGetName && d->kernelGetName(&name, reinterpret_cast<void *>(function)) == Success &&
      name)
    return shortKernelName(name);
  return {};
}

std::vector<DeviceInfo> seenDevices() {
  Devices &all = devices();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<DeviceInfo> seen = all.seen;
  std::sort(seen.begin(), seen.end(),
            [](const DeviceInfo &a, const DeviceInfo &b) { return a.ordinal < b.ordinal; });
  return seen;
}

} // namespace gpuinstr
