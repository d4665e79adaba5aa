// Memory that allocators keep and hand out in pieces.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Pools.h"
#include "attach/source/Lock.h"
#include "base/HotCode.h"
#include <atomic>
#include <map>

namespace gpuinstr::attach {

namespace {

struct Segment {
  uint64_t end;
  const char *pool;
};
std::map<uint64_t, Segment> &segments() {
  static auto *all = new std::map<uint64_t, Segment>; // leaked: used during exit
  return *all;
}
std::atomic<bool> Any{false};

} // namespace

void addSegment(uint64_t address, uint64_t bytes, const char *pool) {
  TablesLock lock(tablesMutex());
  segments()[address] = {address + bytes, pool};
  Any.store(true);
}

GPUINSTR_HOT void dropSegment(uint64_t address) {
  if (!Any.load(std::memory_order_relaxed))
    return;
  TablesLock lock(tablesMutex());
  segments().erase(address);
}

GPUINSTR_HOT const char *poolAt(uint64_t address) {
  if (!Any.load(std::memory_order_relaxed))
    return nullptr;
  TablesLock lock(tablesMutex());
  auto behind = segments().upper_bound(address);
  if (behind == segments().begin())
    return nullptr;
  const Segment &segment = std::prev(behind)->second;
  return address < segment.end ? segment.pool : nullptr;
}

} // namespace gpuinstr::attach
