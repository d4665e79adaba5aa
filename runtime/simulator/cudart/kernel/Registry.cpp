// What compiled host code registers before main: fat binaries, kernels, device variables.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/kernel/Registry.h"

#include "device/kernel/Module.h"
#include "device/memory/Allocations.h"
#include "exec/kernels/EmbeddedKernels.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::sim {

namespace {

struct Variable {
  CUmodule Module = nullptr;
  std::string Name;
  size_t Size = 0;
  bool Managed = false;
  void **ManagedPointer = nullptr; ///< Where host code reads the address of a managed variable.
  std::map<uint64_t, CUdeviceptr> Memory; ///< By context id, which changes with a reset.
};

/// Leaked: unregistering happens in exit handlers.
struct Registry {
  std::mutex M;
  std::unordered_map<const void *, CUfunction> Functions;
  std::unordered_map<const void *, Variable> Variables;
};

Registry &registry() {
  static auto *R = new Registry;
  return *R;
}

/// The handle that __cudaRegisterFatBinary returns points at the module.
struct FatBinary {
  CUmodule Module;
};

CUmodule moduleOf(void **Handle) { return reinterpret_cast<FatBinary *>(Handle)->Module; }

cudaError_t memoryOf(CUcontext C, const void *Host, Variable &V, CUdeviceptr *Out) {
  CUdeviceptr &Address = V.Memory[C->Id];
  if (!Address) {
    CUresult R = CUDA_SUCCESS;
    // Embedded kernels use the memory that their executable brings.
    if (const gpuinstr_sim_variable *Embedded = findEmbeddedVariable(Host, V.Name))
      R = adoptSymbol(C, Embedded->storage, Embedded->bytes, V.Managed, &Address);
    else
      R = allocateSymbol(C, V.Size, V.Managed, &Address);
    if (R) {
      V.Memory.erase(C->Id);
      return toError(R);
    }
  }
  *Out = Address;
  return cudaSuccess;
}

void addVariable(void **Handle, const void *Host, const char *Name, size_t Size,
                 void **ManagedPointer) {
  Registry &R = registry();
  std::lock_guard<std::mutex> L(R.M);
  Variable V;
  V.Module = moduleOf(Handle);
  V.Name = Name;
  V.Size = Size;
  V.Managed = ManagedPointer != nullptr;
  V.ManagedPointer = ManagedPointer;
  R.Variables[Host] = std::move(V);
}

} // namespace

CUfunction findFunction(const void *Symbol) {
  Registry &R = registry();
  {
    std::lock_guard<std::mutex> L(R.M);
    auto Found = R.Functions.find(Symbol);
    if (Found != R.Functions.end())
      return Found->second;
  }
  auto Handle = reinterpret_cast<CUfunction>(const_cast<void *>(Symbol));
  return isFunction(Handle) ? Handle : nullptr;
}

cudaError_t symbolMemory(CUcontext C, const void *Symbol, void **Address, size_t *Size) {
  Registry &R = registry();
  std::lock_guard<std::mutex> L(R.M);
  auto Found = R.Variables.find(Symbol);
  if (Found == R.Variables.end())
    return cudaErrorInvalidSymbol;
  CUdeviceptr Memory = 0;
  if (cudaError_t E = memoryOf(C, Found->first, Found->second, &Memory))
    return E;
  if (Address)
    *Address = reinterpret_cast<void *>(Memory);
  if (Size)
    *Size = Found->second.Size;
  return cudaSuccess;
}

} // namespace gpuinstr::sim

using namespace gpuinstr::sim;

extern "C" {

void **CUDARTAPI __cudaRegisterFatBinary(void *Image) {
  return reinterpret_cast<void **>(new FatBinary{registerModule(Image)});
}

void CUDARTAPI __cudaRegisterFatBinaryEnd(void **) {}

void CUDARTAPI __cudaUnregisterFatBinary(void **Handle) {
  if (!Handle)
    return;
  CUmodule Module = moduleOf(Handle);
  Registry &R = registry();
  {
    std::lock_guard<std::mutex> L(R.M);
    for (auto It = R.Functions.begin(); It != R.Functions.end();)
      It = It->second->Module == Module ? R.Functions.erase(It) : std::next(It);
    for (auto It = R.Variables.begin(); It != R.Variables.end();) {
      if (It->second.Module != Module) {
        ++It;
        continue;
      }
      for (auto &Memory : It->second.Memory)
        forgetSymbol(Memory.second);
      It = R.Variables.erase(It);
    }
  }
  unloadModule(Module);
  delete reinterpret_cast<FatBinary *>(Handle);
}

void CUDARTAPI __cudaRegisterFunction(void **Handle, const char *Host, char *, const char *Name,
                                      int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  CUfunction Function = registerFunction(moduleOf(Handle), Name, Host);
  std::lock_guard<std::mutex> L(registry().M);
  registry().Functions[Host] = Function;
}

void CUDARTAPI __cudaRegisterVar(void **Handle, char *Host, char *, const char *Name, int,
                                 size_t Size, int, int) {
  addVariable(Handle, Host, Name, Size, nullptr);
}

void CUDARTAPI __cudaRegisterManagedVar(void **Handle, void **Host, char *, const char *Name, int,
                                        size_t Size, int, int) {
  addVariable(Handle, Host, Name, Size, Host);
}

void CUDARTAPI __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

void CUDARTAPI __cudaRegisterUnifiedTable(void **, void *) {}

char CUDARTAPI __cudaInitModule(void **Handle) {
  CUcontext C = nullptr;
  if (checkProcess() || runtimeContext(C))
    return 0;
  Registry &R = registry();
  std::lock_guard<std::mutex> L(R.M);
  for (auto &Entry : R.Variables) {
    Variable &V = Entry.second;
    CUdeviceptr Memory = 0;
    if (V.Module == moduleOf(Handle) && V.ManagedPointer && !*V.ManagedPointer &&
        !memoryOf(C, Entry.first, V, &Memory))
      *V.ManagedPointer = reinterpret_cast<void *>(Memory);
  }
  return 1;
}

} // extern "C"
