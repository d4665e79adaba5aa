// Variables of device code, by the names that programs ask the driver for.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Globals.h"
#include "attach/source/Lock.h"
#include "base/HotCode.h"
#include "base/text/Demangled.h"
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <set>
#include <string>

namespace gpuinstr::attach {

namespace {

/// Modules that come and go must not take memory without end.
constexpr size_t Most = 1 << 16;

struct Global {
  uint64_t end;
  const char *name;   ///< one pointer a name
  const char *symbol; ///< as the driver was asked; likewise
};
struct Store {
  std::map<uint64_t, Global> byAddress;
  std::set<std::string> names;
};
Store &store() {
  static auto *instance = new Store; // leaked: used during exit
  return *instance;
}
} // namespace

GPUINSTR_HOT_DATA std::atomic<bool> AnyGlobals{false};

void addGlobal(uint64_t address, uint64_t bytes, const char *name) {
  std::string plain = demangled(name);
  TablesLock lock(tablesMutex());
  Store &s = store();
  if (s.names.size() >= 2 * Most || (s.byAddress.size() >= Most && !s.byAddress.count(address)))
    return;
  auto keep = [&](const std::string &text) { return s.names.insert(text).first->c_str(); };
  s.byAddress[address] = {address + bytes, keep(plain), keep(name)};
  AnyGlobals.store(true);
}

bool isGlobal(uint64_t address, const char *name) {
  TablesLock lock(tablesMutex());
  auto known = store().byAddress.find(address);
  return known != store().byAddress.end() && std::strcmp(known->second.symbol, name) == 0;
}

uint64_t bytesOfGlobal(const char *function, void *owner, const char *name) {
  using Ask = int(uint64_t *, size_t *, void *, const char *);
  const char *symbol =
      std::strstr(function, "Module") ? "cuModuleGetGlobal_v2" : "cuLibraryGetGlobal";
  void *library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  auto *ask = library ? reinterpret_cast<Ask *>(dlsym(library, symbol)) : nullptr;
  uint64_t address = 0;
  size_t bytes = 0;
  bool known = ask && ask(&address, &bytes, owner, name) == 0;
  if (library)
    dlclose(library); // NOLOAD counts too
  return known ? bytes : 0;
}

void dropGlobals(uint64_t address, uint64_t bytes) {
  if (!AnyGlobals.load(std::memory_order_relaxed))
    return;
  TablesLock lock(tablesMutex());
  auto &all = store().byAddress;
  auto at = all.lower_bound(address);
  if (at != all.begin() && std::prev(at)->second.end > address)
    --at;
  while (at != all.end() && at->first < address + bytes)
    at = all.erase(at);
}

const char *variableAt(uint64_t address) {
  TablesLock lock(tablesMutex());
  auto &all = store().byAddress;
  auto behind = all.upper_bound(address);
  if (behind == all.begin())
    return nullptr;
  const Global &global = std::prev(behind)->second;
  return address < global.end ? global.name : nullptr;
}

} // namespace gpuinstr::attach
