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
  const char *Name;
  int Since;
  const char *Symbol;
};
constexpr Version Versions[] = {
#define GPUINSTR_VERSION(Name, Since, Symbol) {#Name, Since, #Symbol},
#include "driver/symbols/Versions.def"
#undef GPUINSTR_VERSION
};

/// This library, whatever else in the process exports the same names.
void *ownHandle() {
  static void *Handle = [] {
    Dl_info Info;
    dladdr(reinterpret_cast<void *>(&cuInit), &Info);
    return dlopen(Info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return Handle;
}

void *find(const char *Name, int CudaVersion, bool PerThread) {
  std::string Symbol = Name;
  for (const Version &V : Versions)
    if (!std::strcmp(V.Name, Name) && CudaVersion >= V.Since)
      Symbol = V.Symbol;
  if (PerThread)
    for (const char *Suffix : {"_ptsz", "_ptds"})
      if (void *Found = dlsym(ownHandle(), (Symbol + Suffix).c_str()))
        return Found;
  return dlsym(ownHandle(), Symbol.c_str());
}

CUresult lookUp(const char *Name, void **Out, int CudaVersion, cuuint64_t Flags,
                CUdriverProcAddressQueryResult *Status) {
  if (!Name || !Out || (Flags & ~cuuint64_t(3)))
    return CUDA_ERROR_INVALID_VALUE;
  bool PerThread = Flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  *Out = std::strncmp(Name, "cu", 2) ? nullptr : find(Name, CudaVersion, PerThread);
  if (Status)
    *Status = *Out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  // Since CUDA 12 a missing symbol is a status, not an error; without a status it is one.
  return *Out || Status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // namespace

extern "C" {

CUresult CUDAAPI cuGetProcAddress(const char *Name, void **Out, int CudaVersion, cuuint64_t Flags,
                                  CUdriverProcAddressQueryResult *Status) {
  CUresult R = guarded([&] { return lookUp(Name, Out, CudaVersion, Flags, Status); });
  logCall(__func__, R);
  return R;
}

#undef cuGetProcAddress
CUresult CUDAAPI cuGetProcAddress(const char *Name, void **Out, int CudaVersion, cuuint64_t Flags) {
  return cuGetProcAddress_v2(Name, Out, CudaVersion, Flags, nullptr);
}

CUresult CUDAAPI cuGetExportTable(const void **Out, const CUuuid *) {
  static bool Told = false;
  if (!Told)
    std::fputs("gpuinstr simulator: a private table of the driver is asked for (cuGetExportTable) "
               "and is not simulated: programs need '-cudart shared', and vendor libraries and "
               "profilers do not run here\n",
               stderr);
  Told = true;
  if (Out)
    *Out = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // extern "C"
