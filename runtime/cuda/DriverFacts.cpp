// Single facts that the driver knows: parameters of kernels, kinds of memory.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/DriverFacts.h"
#include "cuda/Driver.h"
#include "cuda/ReadableMemory.h"
#include <atomic>
#include <dlfcn.h>

namespace gpuinstr::cuda {

namespace {

constexpr int AttributeMemoryType = 2, AttributeIsManaged = 8; // of CUpointer_attribute
constexpr uint64_t MemoryTypeHost = 1, MemoryTypeDevice = 2;   // of CUmemorytype
constexpr int InvalidValue = 1;

void *driverSymbol(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (library)
    dlclose(library); // NOLOAD counts too
  return symbol;
}

} // namespace

namespace {

/// What a launch was given: a function, or a kernel of a library, as all of cudart's and Numba's
/// are. Who is asked for the parameters of the other one may say that there are none.
using ParameterInfo = int(void *, size_t, size_t *, size_t *);
ParameterInfo *parameterInfoOf(const DriverApi &d, void *function) {
  static auto *ofFunction = reinterpret_cast<ParameterInfo *>(driverSymbol("cuFuncGetParamInfo"));
  static auto *ofKernel = reinterpret_cast<ParameterInfo *>(driverSymbol("cuKernelGetParamInfo"));
  const char *name = nullptr;
  if (d.funcGetName && d.funcGetName(&name, function) == 0)
    return ofFunction;
  return d.kernelGetName && d.kernelGetName(&name, function) == 0 ? ofKernel : nullptr;
}

} // namespace

bool driverParameterSizes(uint64_t function, std::vector<uint32_t> &sizes) {
  const DriverApi *d = driverApi();
  if (!d)
    return false;
  RelaxedCapture relaxed(*d);
  auto *handle = reinterpret_cast<void *>(function);
  ParameterInfo *info = parameterInfoOf(*d, handle);
  size_t offset, bytes;
  int result = -1;
  for (size_t i = 0; info && (result = info(handle, i, &offset, &bytes)) == 0; ++i)
    sizes.push_back(uint32_t(bytes));
  return result == InvalidValue; // there is none of that index
}

bool isPageable(uint64_t address) {
  const DriverApi *d = driverApi();
  if (!d)
    return false;
  RelaxedCapture relaxed(*d);
  uint64_t type = 0; // an enumerator; drivers write four bytes
  // This one takes ordinary memory for no error, which a sanitizer would show as the program's.
  if (d->pointerGetAttributes) {
    int attribute = AttributeMemoryType;
    void *value = &type;
    return d->pointerGetAttributes(1, &attribute, &value, address) == 0 && type == 0;
  }
  if (!d->pointerGetAttribute)
    return false;
  return d->pointerGetAttribute(&type, AttributeMemoryType, address) == InvalidValue;
}

bool deviceReachesHost() {
  constexpr int PageableMemoryAccess = 88; // CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
  static std::atomic<int> answer{-1};      // none yet
  if (const int known = answer.load(std::memory_order_relaxed); known >= 0)
    return known != 0;
  const DriverApi *d = driverApi();
  const int device = d && d->deviceGetAttribute ? currentDevice() : -1;
  int value = 0;
  if (device < 0 || d->deviceGetAttribute(&value, PageableMemoryAccess, device) != 0)
    return false;
  answer.store(value != 0, std::memory_order_relaxed);
  return value != 0;
}

/// False: the driver cannot say.
static bool askForKind(uint64_t address, uint64_t &type, bool &isManaged) {
  const DriverApi *d = driverApi();
  if (!address || !d || !d->pointerGetAttributes)
    return false;
  int attributes[2] = {AttributeMemoryType, AttributeIsManaged};
  uint64_t managed = 0; // drivers write four bytes, or one
  type = 0;
  void *values[2] = {&type, &managed};
  RelaxedCapture relaxed(*d);
  if (d->pointerGetAttributes(2, attributes, values, address) != 0)
    return false;
  isManaged = managed != 0;
  return true;
}

bool isSharedWithHost(uint64_t address) {
  uint64_t type = 0;
  bool isManaged = false;
  return askForKind(address, type, isManaged) && (isManaged || type == MemoryTypeHost);
}

Side sideOf(uint64_t address) {
  uint64_t type = 0;
  bool isManaged = false;
  if (!askForKind(address, type, isManaged) || isManaged)
    return Side::Unknown;
  return type == MemoryTypeDevice                 ? Side::Device
         : type == MemoryTypeHost                 ? Side::Host
         : type == 0 && isReadableMemory(address) ? Side::Host // ordinary memory
                                                  : Side::Unknown;
}

bool isOfDeviceAlone(uint64_t address) { return sideOf(address) == Side::Device; }

uint64_t kernelsNotRun() {
  if (!driverIsSimulated())
    return 0;
  using Count = unsigned long long();
  static auto *count =
      reinterpret_cast<Count *>(driverSymbol("gpuinstr_simulator_kernels_not_run"));
  return count ? count() : 0;
}

bool simulatorRefused() {
  if (!driverIsSimulated())
    return false;
  using Refused = int();
  static auto *refused = reinterpret_cast<Refused *>(driverSymbol("gpuinstr_simulator_refused"));
  return refused && refused();
}

IsOnDevice *simulatedVariables() {
  if (!driverIsSimulated())
    return nullptr;
  static auto *isVariable =
      reinterpret_cast<IsOnDevice *>(driverSymbol("gpuinstr_simulator_is_device_variable"));
  return isVariable;
}

} // namespace gpuinstr::cuda
