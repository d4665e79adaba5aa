// Variables of device code, by the names that programs ask the driver for.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Globals.h"
#include "attach/source/Lock.h"
#include "base/HotCode.h"
#include "base/text/Demangled.h"
#include <map>
#include <set>
#include <string>

namespace gpuinstr::attach {

namespace {

/// Modules that come and go must not take memory without end.
constexpr size_t Most = 1 << 16;

struct Global {
  uint64_t end;
  const char *name; ///< one pointer a name
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
  if (s.names.size() >= Most || (s.byAddress.size() >= Most && !s.byAddress.count(address)))
    return;
  s.byAddress[address] = {address + bytes, s.names.insert(plain).first->c_str()};
  AnyGlobals.store(true);
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
