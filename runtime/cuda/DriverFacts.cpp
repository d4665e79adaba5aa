// Single facts that the driver knows: parameters of kernels, kinds of memory.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/DriverFacts.h"
#include "cuda/Driver.h"
#include <dlfcn.h>

namespace gpuinstr::cuda {

namespace {

constexpr int AttributeMemoryType = 2; // of CUpointer_attribute
constexpr int InvalidValue = 1;

void *driverSymbol(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (library)
    dlclose(library); // NOLOAD counts too
  return symbol;
}

} // namespace

bool driverParameterSizes(uint64_t function, std::vector<uint32_t> &sizes) {
  using Info = int(void *, size_t, size_t *, size_t *);
  static Info *info = reinterpret_cast<Info *>(driverSymbol("cuFuncGetParamInfo"));
  const DriverApi *d = driverApi();
  if (!info || !d)
    return false;
  RelaxedCapture relaxed(*d);
  size_t offset, bytes;
  int result;
  for (size_t i = 0; (result = info(reinterpret_cast<void *>(function), i, &offset, &bytes)) == 0;
       ++i)
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

uint64_t kernelsNotRun() {
  if (!driverIsSimulated())
    return 0;
  using Count = unsigned long long();
  static auto *count =
      reinterpret_cast<Count *>(driverSymbol("gpuinstr_simulator_kernels_not_run"));
  return count ? count() : 0;
}

} // namespace gpuinstr::cuda
