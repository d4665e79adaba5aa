// Variables of device code whose place the program asked the driver for.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/DeviceVariables.h"
#include "cuda/Driver.h"
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

namespace gpuinstr::cuda {

namespace {

struct Known {
  std::mutex mutex;
  std::map<uint64_t, uint64_t> ends; ///< by address
};
Known &known() {
  static auto *instance = new Known; // leaked: used during exit
  return *instance;
}
std::atomic<bool> Any{false};

/// The same question again, for the size alone.
uint64_t askForBytes(const CallOperands &o, const char *callee) {
  const DriverApi *api = driverApi();
  const auto *name = reinterpret_cast<const char *>(o.slot(GPUINSTR_SLOT_PARAMS));
  bool isLibrarys = callee && std::strstr(callee, "Library");
  auto ask = !api ? nullptr : isLibrarys ? api->libraryGetGlobal : api->moduleGetGlobal;
  size_t bytes = 0;
  if (!ask || !name || !(o.flags & GPUINSTR_SITE_DRIVER))
    return 0;
  RelaxedCapture relaxed(*api);
  auto *owner = reinterpret_cast<void *>(o.slot(GPUINSTR_SLOT_FUNC));
  return ask(nullptr, &bytes, owner, name) == 0 ? bytes : 0;
}

} // namespace

DeviceVariable variableAsked(const CallOperands &o, const char *callee) {
  auto read = [&](unsigned slot) {
    uint64_t place = o.slot(slot), value = 0;
    if (place)
      std::memcpy(&value, reinterpret_cast<const void *>(place), sizeof value);
    return value;
  };
  DeviceVariable variable;
  variable.owner = o.slot(GPUINSTR_SLOT_FUNC);
  if (o.op != GPUINSTR_OP_EXPORT || o.detail != 1 || !variable.owner)
    return variable;
  variable.address = read(GPUINSTR_SLOT_DST);
  variable.bytes = o.slot(GPUINSTR_SLOT_ARGS) ? read(GPUINSTR_SLOT_ARGS) : askForBytes(o, callee);
  return variable;
}

void addVariable(uint64_t address, uint64_t bytes) {
  Known &k = known();
  std::lock_guard<std::mutex> lock(k.mutex);
  k.ends[address] = address + bytes;
  Any.store(true);
}

void dropVariable(uint64_t address) {
  Known &k = known();
  std::lock_guard<std::mutex> lock(k.mutex);
  k.ends.erase(address);
}

void forgetVariables() {
  Known &k = known();
  std::lock_guard<std::mutex> lock(k.mutex);
  k.ends.clear();
  Any.store(false);
}

void lockVariables() { known().mutex.lock(); }
void unlockVariables() { known().mutex.unlock(); }

bool isInVariable(uint64_t address, uint64_t bytes) {
  if (!Any.load(std::memory_order_relaxed))
    return false;
  Known &k = known();
  std::lock_guard<std::mutex> lock(k.mutex);
  auto behind = k.ends.upper_bound(address);
  if (behind == k.ends.begin())
    return false;
  uint64_t end = std::prev(behind)->second;
  return address < end && bytes <= end - address;
}

} // namespace gpuinstr::cuda
