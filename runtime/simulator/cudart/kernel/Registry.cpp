// What compiled host code registers before main: fat binaries, kernels, device variables.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/kernel/Registry.h"

#include "device/context/Start.h"
#include "device/kernel/Module.h"
#include "device/memory/Allocations.h"
#include "exec/kernels/EmbeddedKernels.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::sim {

namespace {

struct Variable {
  CUmodule module = nullptr;
  std::string name;
  size_t size = 0;
  bool managed = false;
  void **managedPointer = nullptr; ///< Where host code reads the address of a managed variable.
  std::map<uint64_t, CUdeviceptr> memory; ///< By context id, which changes with a reset.
};

/// Leaked: unregistering happens in exit handlers.
struct Registry {
  std::mutex m;
  std::unordered_map<const void *, CUfunction> functions;
  std::unordered_map<const void *, Variable> variables;
};

Registry &registry() {
  static auto *r = new Registry;
  return *r;
}

/// The handle that __cudaRegisterFatBinary returns points at the module.
struct FatBinary {
  CUmodule module;
};

CUmodule moduleOf(void **handle) { return reinterpret_cast<FatBinary *>(handle)->module; }

cudaError_t memoryOf(CUcontext c, const void *host, Variable &v, CUdeviceptr *out) {
  CUdeviceptr &address = v.memory[c->id];
  if (!address) {
    CUresult r = CUDA_SUCCESS;
    // Embedded kernels use the memory that their executable brings.
    if (const gpuinstr_sim_variable *embedded = findEmbeddedVariable(host, v.name))
      r = adoptSymbol(c, embedded->storage, embedded->bytes, v.managed, &address);
    else
      r = allocateSymbol(c, v.size, v.managed, &address);
    if (r) {
      v.memory.erase(c->id);
      return toError(r);
    }
  }
  *out = address;
  return cudaSuccess;
}

/// By what host code names it: nvcc puts the variable itself there for a managed one, which is the
/// memory that its pointer leads to.
Variable *findVariable(Registry &r, const void *&symbol) {
  auto found = r.variables.find(symbol);
  if (found == r.variables.end())
    found = std::find_if(r.variables.begin(), r.variables.end(), [&](const auto &entry) {
      return symbol && entry.second.managedPointer && *entry.second.managedPointer == symbol;
    });
  if (found == r.variables.end())
    return nullptr;
  symbol = found->first;
  return &found->second;
}

void addVariable(void **handle, const void *host, const char *name, size_t size,
                 void **managedPointer) {
  Registry &r = registry();
  std::lock_guard<std::mutex> l(r.m);
  Variable v;
  v.module = moduleOf(handle);
  v.name = name;
  v.size = size;
  v.managed = managedPointer != nullptr;
  v.managedPointer = managedPointer;
  r.variables[host] = std::move(v);
}

} // namespace

CUfunction findFunction(const void *symbol) {
  Registry &r = registry();
  {
    std::lock_guard<std::mutex> l(r.m);
    auto found = r.functions.find(symbol);
    if (found != r.functions.end())
      return found->second;
  }
  CUfunction handle = launched(reinterpret_cast<CUfunction>(const_cast<void *>(symbol)));
  return isFunction(handle) ? handle : nullptr;
}

cudaError_t symbolMemory(CUcontext c, const void *symbol, void **address, size_t *size) {
  Registry &r = registry();
  std::lock_guard<std::mutex> l(r.m);
  Variable *found = findVariable(r, symbol);
  if (!found)
    return cudaErrorInvalidSymbol;
  CUdeviceptr memory = 0;
  if (cudaError_t e = memoryOf(c, symbol, *found, &memory))
    return e;
  if (address)
    *address = reinterpret_cast<void *>(memory);
  if (size)
    *size = found->size;
  return cudaSuccess;
}

} // namespace gpuinstr::sim

using namespace gpuinstr::sim;

extern "C" {

void **CUDARTAPI __cudaRegisterFatBinary(void *image) {
  return reinterpret_cast<void **>(new FatBinary{registerModule(image)});
}

void CUDARTAPI __cudaRegisterFatBinaryEnd(void **) {}

void CUDARTAPI __cudaUnregisterFatBinary(void **handle) {
  // A forked child's exit: threads that are not there may hold the locks.
  if (!handle || forkedAfterUse())
    return;
  CUmodule module = moduleOf(handle);
  Registry &r = registry();
  {
    std::lock_guard<std::mutex> l(r.m);
    for (auto it = r.functions.begin(); it != r.functions.end();)
      it = it->second->module == module ? r.functions.erase(it) : std::next(it);
    for (auto it = r.variables.begin(); it != r.variables.end();) {
      if (it->second.module != module) {
        ++it;
        continue;
      }
      for (auto &memory : it->second.memory)
        forgetSymbol(memory.second);
      it = r.variables.erase(it);
    }
  }
  unloadModule(module);
  delete reinterpret_cast<FatBinary *>(handle);
}

void CUDARTAPI __cudaRegisterFunction(void **handle, const char *host, char *, const char *name,
                                      int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  CUfunction function = registerFunction(moduleOf(handle), name, host);
  std::lock_guard<std::mutex> l(registry().m);
  registry().functions[host] = function;
}

void CUDARTAPI __cudaRegisterVar(void **handle, char *host, char *, const char *name, int,
                                 size_t size, int, int) {
  addVariable(handle, host, name, size, nullptr);
}

void CUDARTAPI __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int,
                                        size_t size, int, int) {
  addVariable(handle, host, name, size, host);
}

void CUDARTAPI __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

void CUDARTAPI __cudaRegisterUnifiedTable(void **, void *) {}

char CUDARTAPI __cudaInitModule(void **handle) {
  CUcontext c = nullptr;
  if (checkProcess() || runtimeContext(c))
    return 0;
  Registry &r = registry();
  std::lock_guard<std::mutex> l(r.m);
  for (auto &entry : r.variables) {
    Variable &v = entry.second;
    CUdeviceptr memory = 0;
    if (v.module == moduleOf(handle) && v.managedPointer && !*v.managedPointer &&
        !memoryOf(c, entry.first, v, &memory))
      *v.managedPointer = reinterpret_cast<void *>(memory);
  }
  return 1;
}

} // extern "C"
