// cuGetProcAddress: names to functions.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "common/DeviceModel.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace gpuinstr::sim;

namespace {

struct Version {
  const char *name;
  int since;
  const char *symbol;
};
constexpr Version Versions[] = {
#define GPUINSTR_VERSION(Name, Since, Symbol) {#Name, Since, #Symbol},
#include "driver/symbols/Versions.def"
#undef GPUINSTR_VERSION
};

/// This library, whatever else in the process exports the same names.
void *ownHandle() {
  static void *handle = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void *>(&cuInit), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return handle;
}

void *find(const char *name, int cudaVersion, bool perThread) {
  std::string symbol = name;
  for (const Version &v : Versions)
    if (!std::strcmp(v.name, name) && cudaVersion >= v.since)
      symbol = v.symbol;
  if (perThread)
    for (const char *suffix : {"_ptsz", "_ptds"})
      if (void *found = dlsym(ownHandle(), (symbol + suffix).c_str()))
        return found;
  return dlsym(ownHandle(), symbol.c_str());
}

CUresult lookUp(const char *name, void **out, int cudaVersion, cuuint64_t flags,
                CUdriverProcAddressQueryResult *status) {
  if (!name || !out || (flags & ~cuuint64_t(3)))
    return CUDA_ERROR_INVALID_VALUE;
  bool perThread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  *out = std::strncmp(name, "cu", 2) ? nullptr : find(name, cudaVersion, perThread);
  if (status)
    *status = *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  // Since CUDA 12 a missing symbol is a status, not an error; without a status it is one.
  return *out || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // namespace

extern "C" {

CUresult CUDAAPI cuGetProcAddress(const char *name, void **out, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *status) {
  CUresult r = wantedFailure("cuGetProcAddress");
  if (!r)
    r = guarded([&] { return lookUp(name, out, cudaVersion, flags, status); });
  logCall(__func__, r);
  return r;
}

#undef cuGetProcAddress
CUresult CUDAAPI cuGetProcAddress(const char *name, void **out, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, out, cudaVersion, flags, nullptr);
}

CUresult CUDAAPI cuGetExportTable(const void **out, const CUuuid *) {
  static bool told = false;
  if (!told)
    std::fputs("gpuinstr simulator: a private table of the driver is asked for (cuGetExportTable) "
               "and is not simulated: programs need '-cudart shared', and vendor libraries and "
               "profilers do not run here\n",
               stderr);
  told = true;
  if (out)
    *out = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // extern "C"
