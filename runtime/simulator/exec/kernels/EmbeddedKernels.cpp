// Keeps what executables hand over, and places shared variables of relocatable device code.
// SPDX-License-Identifier: Apache-2.0
#include "exec/kernels/EmbeddedKernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpuinstr::sim {

namespace {

using Module = gpuinstr_sim_module;

struct EmbeddedCode {
  std::mutex M;
  std::vector<Module *> Modules;
  struct Kernel {
    const gpuinstr_sim_kernel *Record;
    const Module *From;
  };
  std::unordered_map<const void *, Kernel> ByStub;
  std::unordered_map<std::string, Kernel> ByName;
  std::unordered_map<const void *, const gpuinstr_sim_variable *> ByShadow;
  std::unordered_map<std::string, const gpuinstr_sim_variable *> VariableByName;
  std::map<const gpuinstr_sim_variable *, std::vector<char>> Initial;
  uint32_t RelocatableBytes = 0; ///< Static shared memory of relocatable device code.
};

/// Leaked: modules leave in exit handlers.
EmbeddedCode &embeddedCode() {
  static auto *All = new EmbeddedCode;
  return *All;
}

/// Larger variables keep what they hold when a device is reset.
constexpr size_t MaxKeptBytes = size_t(16) << 20;

bool allZero(const char *Bytes, size_t Count) {
  return !Count || (!*Bytes && !std::memcmp(Bytes, Bytes + 1, Count - 1));
}

void addVariable(EmbeddedCode &All, const gpuinstr_sim_variable &Variable) {
  if (Variable.shadow)
    All.ByShadow[Variable.shadow] = &Variable;
  All.VariableByName[Variable.name] = &Variable;
  if (Variable.bytes > MaxKeptBytes)
    return;
  const char *Bytes = static_cast<const char *>(Variable.storage);
  std::vector<char> &Kept = All.Initial[&Variable];
  if (!allZero(Bytes, Variable.bytes))
    Kept.assign(Bytes, Bytes + Variable.bytes);
}

/// Shared variables of relocatable code lie behind those that belong to one module alone. Done anew
/// for each module: no kernel has run yet.
void placeShared(EmbeddedCode &All) {
  uint64_t End = 0;
  for (Module *M : All.Modules)
    if (M->relocatable)
      End = std::max<uint64_t>(End, M->shared_bytes);
  std::vector<uint64_t *> Placed;
  for (Module *M : All.Modules)
    for (uint32_t I = 0; I < M->shared_count; ++I) {
      const gpuinstr_sim_shared &Shared = M->shared[I];
      if (std::find(Placed.begin(), Placed.end(), Shared.offset) != Placed.end())
        continue;
      uint64_t Align = std::max(1u, Shared.align);
      End = (End + Align - 1) / Align * Align;
      *Shared.offset = End;
      End += Shared.bytes;
      Placed.push_back(Shared.offset);
    }
  All.RelocatableBytes = static_cast<uint32_t>(End);
}

template <typename Map, typename Gone> void eraseIf(Map &From, Gone &&IsGone) {
  for (auto It = From.begin(); It != From.end();)
    It = IsGone(It->second) ? From.erase(It) : std::next(It);
}

EmbeddedKernel describe(const EmbeddedCode &All, const EmbeddedCode::Kernel &Kernel) {
  return {Kernel.Record,
          Kernel.From->relocatable ? All.RelocatableBytes : Kernel.From->shared_bytes};
}

} // namespace

EmbeddedKernel findEmbeddedKernel(const void *Stub, const std::string &Name) {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  auto ByStub = All.ByStub.find(Stub);
  if (ByStub != All.ByStub.end())
    return describe(All, ByStub->second);
  auto ByName = All.ByName.find(Name);
  return ByName == All.ByName.end() ? EmbeddedKernel() : describe(All, ByName->second);
}

const gpuinstr_sim_variable *findEmbeddedVariable(const void *Shadow, const std::string &Name) {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  auto ByShadow = All.ByShadow.find(Shadow);
  if (ByShadow != All.ByShadow.end())
    return ByShadow->second;
  auto ByName = All.VariableByName.find(Name);
  // A variable of that name that belongs to another host variable is not this one.
  bool Same = ByName != All.VariableByName.end() && !ByName->second->shadow;
  return Same ? ByName->second : nullptr;
}

std::string whyNotEmbedded() {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  for (Module *M : All.Modules)
    if (M->unreadable)
      return std::string(M->unit ? M->unit : "?") + ": " + M->unreadable;
  return "";
}

bool inEmbeddedConstants(const void *Address) {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  auto At = reinterpret_cast<uintptr_t>(Address);
  for (Module *M : All.Modules)
    for (uint32_t I = 0; I < M->variable_count; ++I) {
      const gpuinstr_sim_variable &V = M->variables[I];
      if (V.kind == GPUINSTR_SIM_CONSTANT && At - reinterpret_cast<uintptr_t>(V.storage) < V.bytes)
        return true;
    }
  return false;
}

void restoreEmbeddedVariables() {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  for (auto &Entry : All.Initial) {
    if (Entry.second.empty())
      std::memset(Entry.first->storage, 0, Entry.first->bytes);
    else
      std::memcpy(Entry.first->storage, Entry.second.data(), Entry.first->bytes);
  }
}

std::string readableName(const std::string &Mangled) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(Mangled.c_str(), nullptr, nullptr, &Status);
  std::string Readable = Text && !Status ? Text : Mangled;
  std::free(Text);
  return Readable;
}

} // namespace gpuinstr::sim

using namespace gpuinstr::sim;

extern "C" {

/// Takes the kernels and variables of one translation unit (or linked device image).
void gpuinstr_simulator_register(gpuinstr_sim_module *M) {
  if (!M)
    return;
  if (M->abi_version != GPUINSTR_SIM_ABI_VERSION || M->size != sizeof(*M)) {
    std::fprintf(stderr,
                 "gpuinstr simulator: the kernels of %s were compiled by another version of "
                 "gpuinstr (%u, here %u) and are not taken\n",
                 M->abi_version && M->unit ? M->unit : "a unit", M->abi_version,
                 GPUINSTR_SIM_ABI_VERSION);
    return;
  }
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  All.Modules.push_back(M);
  for (uint32_t I = 0; I < M->kernel_count; ++I) {
    EmbeddedCode::Kernel Kernel = {&M->kernels[I], M};
    if (Kernel.Record->stub)
      All.ByStub[Kernel.Record->stub] = Kernel;
    All.ByName[Kernel.Record->name] = Kernel;
  }
  for (uint32_t I = 0; I < M->variable_count; ++I)
    addVariable(All, M->variables[I]);
  placeShared(All);
}

void gpuinstr_simulator_unregister(gpuinstr_sim_module *M) {
  EmbeddedCode &All = embeddedCode();
  std::lock_guard<std::mutex> L(All.M);
  auto Found = std::find(All.Modules.begin(), All.Modules.end(), M);
  if (Found == All.Modules.end())
    return;
  All.Modules.erase(Found);
  auto Mine = [&](const gpuinstr_sim_variable *V) {
    return V >= M->variables && V < M->variables + M->variable_count;
  };
  eraseIf(All.ByStub, [&](const EmbeddedCode::Kernel &K) { return K.From == M; });
  eraseIf(All.ByName, [&](const EmbeddedCode::Kernel &K) { return K.From == M; });
  eraseIf(All.ByShadow, Mine);
  eraseIf(All.VariableByName, Mine);
  for (uint32_t I = 0; I < M->variable_count; ++I)
    All.Initial.erase(&M->variables[I]);
}

} // extern "C"
