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
  std::mutex m;
  std::vector<Module *> modules;
  struct Kernel {
    const gpuinstr_sim_kernel *record;
    const Module *from;
  };
  std::unordered_map<const void *, Kernel> byStub;
  std::unordered_map<std::string, Kernel> byName;
  std::unordered_map<const void *, const gpuinstr_sim_variable *> byShadow;
  std::unordered_map<std::string, const gpuinstr_sim_variable *> variableByName;
  std::map<const gpuinstr_sim_variable *, std::vector<char>> initial;
  uint32_t relocatableBytes = 0; ///< Static shared memory of relocatable device code.
};

/// Leaked: modules leave in exit handlers.
EmbeddedCode &embeddedCode() {
  static auto *all = new EmbeddedCode;
  return *all;
}

/// Larger variables keep what they hold when a device is reset.
constexpr size_t MaxKeptBytes = size_t(16) << 20;

bool allZero(const char *bytes, size_t count) {
  return !count || (!*bytes && !std::memcmp(bytes, bytes + 1, count - 1));
}

void addVariable(EmbeddedCode &all, const gpuinstr_sim_variable &variable) {
  if (variable.shadow)
    all.byShadow[variable.shadow] = &variable;
  all.variableByName[variable.name] = &variable;
  if (variable.bytes > MaxKeptBytes)
    return;
  const char *bytes = static_cast<const char *>(variable.storage);
  std::vector<char> &kept = all.initial[&variable];
  if (!allZero(bytes, variable.bytes))
    kept.assign(bytes, bytes + variable.bytes);
}

/// Shared variables of relocatable code lie behind those that belong to one module alone. Done anew
/// for each module: no kernel has run yet.
void placeShared(EmbeddedCode &all) {
  uint64_t end = 0;
  for (Module *m : all.modules)
    if (m->relocatable)
      end = std::max<uint64_t>(end, m->shared_bytes);
  std::vector<uint64_t *> placed;
  for (Module *m : all.modules)
    for (uint32_t i = 0; i < m->shared_count; ++i) {
      const gpuinstr_sim_shared &shared = m->shared[i];
      if (std::find(placed.begin(), placed.end(), shared.offset) != placed.end())
        continue;
      uint64_t align = std::max(1u, shared.align);
      end = (end + align - 1) / align * align;
      *shared.offset = end;
      end += shared.bytes;
      placed.push_back(shared.offset);
    }
  all.relocatableBytes = static_cast<uint32_t>(end);
}

template <typename Map, typename Gone> void eraseIf(Map &from, Gone &&isGone) {
  for (auto it = from.begin(); it != from.end();)
    it = isGone(it->second) ? from.erase(it) : std::next(it);
}

EmbeddedKernel describe(const EmbeddedCode &all, const EmbeddedCode::Kernel &kernel) {
  return {kernel.record,
          kernel.from->relocatable ? all.relocatableBytes : kernel.from->shared_bytes};
}

} // namespace

EmbeddedKernel findEmbeddedKernel(const void *stub, const std::string &name) {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  auto byStub = all.byStub.find(stub);
  if (byStub != all.byStub.end())
    return describe(all, byStub->second);
  auto byName = all.byName.find(name);
  return byName == all.byName.end() ? EmbeddedKernel() : describe(all, byName->second);
}

const gpuinstr_sim_variable *findEmbeddedVariable(const void *shadow, const std::string &name) {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  auto byShadow = all.byShadow.find(shadow);
  if (byShadow != all.byShadow.end())
    return byShadow->second;
  auto byName = all.variableByName.find(name);
  // A variable of that name that belongs to another host variable is not this one.
  bool same = byName != all.variableByName.end() && !byName->second->shadow;
  return same ? byName->second : nullptr;
}

std::string whyNotEmbedded() {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  for (Module *m : all.modules)
    if (m->unreadable)
      return std::string(m->unit ? m->unit : "?") + ": " + m->unreadable;
  return "";
}

namespace {
template <class Wanted> bool isInVariable(const void *address, Wanted wanted) {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  auto at = reinterpret_cast<uintptr_t>(address);
  for (Module *m : all.modules)
    for (uint32_t i = 0; i < m->variable_count; ++i) {
      const gpuinstr_sim_variable &v = m->variables[i];
      if (wanted(v) && at - reinterpret_cast<uintptr_t>(v.storage) < v.bytes)
        return true;
    }
  return false;
}
} // namespace

bool inEmbeddedConstants(const void *address) {
  return isInVariable(
      address, [](const gpuinstr_sim_variable &v) { return v.kind == GPUINSTR_SIM_CONSTANT; });
}

bool inEmbeddedVariables(const void *address) {
  return isInVariable(
      address, [](const gpuinstr_sim_variable &v) { return v.kind != GPUINSTR_SIM_MANAGED; });
}

void restoreEmbeddedVariables() {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  for (auto &entry : all.initial) {
    if (entry.second.empty())
      std::memset(entry.first->storage, 0, entry.first->bytes);
    else
      std::memcpy(entry.first->storage, entry.second.data(), entry.first->bytes);
  }
}

std::string readableName(const std::string &mangled) {
  int status = 0;
  char *text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string readable = text && !status ? text : mangled;
  std::free(text);
  return readable;
}

} // namespace gpuinstr::sim

using namespace gpuinstr::sim;

extern "C" {

/// Takes the kernels and variables of one translation unit (or linked device image).
void gpuinstr_simulator_register(gpuinstr_sim_module *m) {
  if (!m)
    return;
  if (m->abi_version != GPUINSTR_SIM_ABI_VERSION || m->size != sizeof(*m)) {
    std::fprintf(stderr,
                 "gpuinstr simulator: the kernels of %s were compiled by another version of "
                 "gpuinstr (%u, here %u) and are not taken\n",
                 m->abi_version && m->unit ? m->unit : "a unit", m->abi_version,
                 GPUINSTR_SIM_ABI_VERSION);
    return;
  }
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  all.modules.push_back(m);
  for (uint32_t i = 0; i < m->kernel_count; ++i) {
    EmbeddedCode::Kernel kernel = {&m->kernels[i], m};
    if (kernel.record->stub)
      all.byStub[kernel.record->stub] = kernel;
    all.byName[kernel.record->name] = kernel;
  }
  for (uint32_t i = 0; i < m->variable_count; ++i)
    addVariable(all, m->variables[i]);
  placeShared(all);
}

void gpuinstr_simulator_unregister(gpuinstr_sim_module *m) {
  EmbeddedCode &all = embeddedCode();
  std::lock_guard<std::mutex> l(all.m);
  auto found = std::find(all.modules.begin(), all.modules.end(), m);
  if (found == all.modules.end())
    return;
  all.modules.erase(found);
  auto mine = [&](const gpuinstr_sim_variable *v) {
    return v >= m->variables && v < m->variables + m->variable_count;
  };
  eraseIf(all.byStub, [&](const EmbeddedCode::Kernel &k) { return k.from == m; });
  eraseIf(all.byName, [&](const EmbeddedCode::Kernel &k) { return k.from == m; });
  eraseIf(all.byShadow, mine);
  eraseIf(all.variableByName, mine);
  for (uint32_t i = 0; i < m->variable_count; ++i)
    all.initial.erase(&m->variables[i]);
}

} // extern "C"
