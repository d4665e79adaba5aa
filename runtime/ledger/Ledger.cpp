// What is live: memory by address interval, handles by value, and who holds how much.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/Ledger.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "base/Part.h"
#include "ledger/MemoryByOwner.h"
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {
constexpr size_t MaxFreed = 8192;
/// Freed blocks may overlap: how many are looked at below an address.
constexpr int FreedOverlap = 16;

struct HandleKey {
  uint64_t handle;
  unsigned resource;
  bool operator==(const HandleKey &o) const { return handle == o.handle && resource == o.resource; }
};
struct HandleHash {
  size_t operator()(const HandleKey &k) const { return hashMix(k.handle, k.resource); }
};
} // namespace

bool isDeviceMemory(unsigned resource) {
  return (resource >= GPUINSTR_RES_DEVICE && resource <= GPUINSTR_RES_MANAGED) ||
         resource == GPUINSTR_RES_VMM;
}

bool isVendorHandle(unsigned resource) {
  return resource >= GPUINSTR_RES_CUBLAS && resource <= GPUINSTR_RES_NCCL;
}

bool isAllocated(const Allocation &a) {
  bool memory = isMemory(a.resource) || isDeviceMemory(a.resource);
  return memory && a.resource != GPUINSTR_RES_MAPPING && a.bytes && !a.graphOwned;
}

bool isMemory(unsigned resource) {
  switch (resource) {
  case GPUINSTR_RES_DEVICE:
  case GPUINSTR_RES_ASYNC:
  case GPUINSTR_RES_PITCHED:
  case GPUINSTR_RES_MANAGED:
  case GPUINSTR_RES_PINNED:
  case GPUINSTR_RES_REGISTERED:
  case GPUINSTR_RES_MAPPING:
    return true;
  }
  return false;
}

struct Ledger::Tables {
  std::mutex mutex;
  std::map<uint64_t, Allocation> memory; ///< by first address
  std::unordered_map<HandleKey, Allocation, HandleHash> handles;
  std::map<uint64_t, Freed> freedMemory; ///< by first address; entries may overlap
  std::unordered_map<HandleKey, Freed, HandleHash> freedHandles;
  /// Oldest first: what leaves when the tables are full. (order, key); stale rows are passed over.
  std::deque<std::pair<uint64_t, HandleKey>> freedOrder;
  FreedSlots freedSlots;
  uint64_t sequence = 0, order = 0;
  MemoryByOwner held;
};

Ledger::Ledger() : T(new Tables) {}

void Ledger::eraseOverlap(uint64_t begin, uint64_t end) {
  auto it = T->memory.lower_bound(begin);
  if (it != T->memory.begin()) {
    auto before = std::prev(it);
    if (before->first + before->second.bytes > begin)
      it = before;
  }
  while (it != T->memory.end() && it->first < end) {
    T->held.remove(it->second);
    it = T->memory.erase(it);
  }
  auto freed = T->freedMemory.lower_bound(begin);
  if (freed != T->freedMemory.begin()) {
    auto before = std::prev(freed);
    if (before->first + before->second.bytes > begin)
      freed = before;
  }
  while (freed != T->freedMemory.end() && freed->first < end)
    freed = T->freedMemory.erase(freed);
}

void Ledger::addLocked(Allocation &a) {
  a.sequence = ++T->sequence;
  a.ticks = ticks();
  if (isMemory(a.resource)) {
    T->freedSlots.noteWritten(a.slot);
    eraseOverlap(a.address, a.address + std::max<uint64_t>(a.bytes, 1));
    T->held.add(a);
    T->memory[a.address] = a;
    return;
  }
  HandleKey key{a.address, a.resource};
  auto old = T->handles.find(key);
  if (old != T->handles.end())
    T->held.remove(old->second);
  T->freedHandles.erase(key);
  T->held.add(a);
  T->handles[key] = a;
}

void Ledger::add(Allocation a) {
  std::lock_guard<std::mutex> lock(T->mutex);
  addLocked(a);
  Generation.fetch_add(1, std::memory_order_release);
}

void Ledger::noteFreed(Freed freed) {
  freed.order = ++T->order;
  HandleKey key{freed.address, isMemory(freed.resource) ? 0u : freed.resource};
  if (key.resource == 0)
    T->freedMemory[freed.address] = freed;
  else
    T->freedHandles[key] = freed;
  T->freedOrder.push_back({freed.order, key});
  if (T->freedOrder.size() <= MaxFreed)
    return;
  auto [order, oldest] = T->freedOrder.front();
  T->freedOrder.pop_front();
  auto memory = T->freedMemory.find(oldest.handle);
  if (oldest.resource == 0 && memory != T->freedMemory.end() && memory->second.order == order)
    T->freedMemory.erase(memory);
  auto handle = T->freedHandles.find(oldest);
  if (handle != T->freedHandles.end() && handle->second.order == order)
    T->freedHandles.erase(handle);
}

std::optional<Allocation> Ledger::remove(unsigned resource, uint64_t address, uint64_t sequence,
                                         const Freed &by) {
  std::lock_guard<std::mutex> lock(T->mutex);
  Allocation found;
  if (isMemory(resource)) {
    auto it = T->memory.find(address);
    if (it == T->memory.end() || it->second.sequence != sequence)
      return {};
    found = it->second;
    T->memory.erase(it);
  } else {
    auto it = T->handles.find({address, resource});
    if (it == T->handles.end() || it->second.sequence != sequence)
      return {};
    found = it->second;
    T->handles.erase(it);
  }
  T->held.remove(found);
  T->freedSlots.noteFreed(found);
  Freed freed = by;
  freed.address = found.address;
  freed.bytes = found.bytes;
  freed.resource = found.resource;
  freed.allocSite = found.site;
  freed.allocCaller = found.caller;
  freed.name = found.name;
  noteFreed(freed);
  Generation.fetch_add(1, std::memory_order_release);
  return found;
}

std::optional<Allocation> Ledger::find(uint64_t address) {
  std::lock_guard<std::mutex> lock(T->mutex);
  auto it = T->memory.upper_bound(address);
  if (it == T->memory.begin())
    return {};
  --it;
  if (address - it->first >= std::max<uint64_t>(it->second.bytes, 1))
    return {};
  return it->second;
}

std::optional<Allocation> Ledger::findAndCache(RangeCache &cache, uint64_t address) {
  uint64_t generation = Generation.load(std::memory_order_acquire);
  std::optional<Allocation> found = find(address);
  if (cache.generation != generation) {
    cache = RangeCache();
    cache.generation = generation;
  }
  if (found) {
    cache.base[cache.next] = found->address;
    cache.end[cache.next] = found->address + found->bytes;
    cache.next = (cache.next + 1) % RangeCache::Ways;
  } else {
    cacheGap(cache, address);
  }
  return found;
}

void Ledger::cacheGap(RangeCache &cache, uint64_t address) {
  std::lock_guard<std::mutex> lock(T->mutex);
  uint64_t begin = 0, end = UINT64_MAX;
  auto narrow = [&](const auto &table, int stepsBack) {
    auto it = table.upper_bound(address);
    if (it != table.end())
      end = std::min(end, it->first);
    for (; it != table.begin() && stepsBack-- > 0;) {
      --it;
      begin = std::max(begin, it->first + std::max<uint64_t>(it->second.bytes, 1));
    }
  };
  narrow(T->memory, 1);
  narrow(T->freedMemory, FreedOverlap);
  if (begin > address)
    return; // inside what was freed
  cache.gapBase[cache.nextGap] = begin;
  cache.gapEnd[cache.nextGap] = end;
  cache.nextGap = (cache.nextGap + 1) % RangeCache::Ways;
}

std::optional<Allocation> Ledger::findHandle(unsigned resource, uint64_t handle) {
  std::lock_guard<std::mutex> lock(T->mutex);
  auto it = T->handles.find({handle, resource});
  return it == T->handles.end() ? std::optional<Allocation>() : it->second;
}

std::optional<Freed> Ledger::findFreed(uint64_t address) {
  std::lock_guard<std::mutex> lock(T->mutex);
  // Blocks that were freed may overlap: the last one freed counts. Their number is bounded.
  auto it = T->freedMemory.upper_bound(address);
  for (int steps = 0; it != T->freedMemory.begin() && steps < FreedOverlap; ++steps) {
    --it;
    if (address - it->first < std::max<uint64_t>(it->second.bytes, 1))
      return it->second;
  }
  return {};
}

std::optional<Freed> Ledger::findFreedHandle(unsigned resource, uint64_t handle) {
  std::lock_guard<std::mutex> lock(T->mutex);
  auto it = T->freedHandles.find({handle, resource});
  return it == T->freedHandles.end() ? std::optional<Freed>() : it->second;
}

std::optional<FreedSlot> Ledger::findFreedSlot(uint64_t slot, uint64_t value) {
  std::lock_guard<std::mutex> lock(T->mutex);
  const FreedSlot *found = T->freedSlots.find(slot);
  return found && value >= found->begin && value < found->end ? std::optional<FreedSlot>(*found)
                                                              : std::nullopt;
}

void Ledger::forgetFreed(uint64_t address) {
  std::lock_guard<std::mutex> lock(T->mutex);
  T->freedMemory.erase(address);
}

bool Ledger::change(uint64_t value, const std::function<void(Allocation &)> &edit) {
  std::lock_guard<std::mutex> lock(T->mutex);
  auto it = T->memory.upper_bound(value);
  if (it != T->memory.begin() &&
      value - std::prev(it)->first < std::max<uint64_t>(std::prev(it)->second.bytes, 1)) {
    edit(std::prev(it)->second);
    return true;
  }
  for (unsigned resource = 1; resource < GPUINSTR_RES_COUNT_; ++resource) {
    auto handle = T->handles.find({value, resource});
    if (handle != T->handles.end()) {
      edit(handle->second);
      return true;
    }
  }
  return false;
}

std::vector<Allocation> Ledger::snapshot() {
  std::vector<Allocation> all;
  {
    std::lock_guard<std::mutex> lock(T->mutex);
    all.reserve(T->memory.size() + T->handles.size());
    for (auto &entry : T->memory)
      all.push_back(entry.second);
    for (auto &entry : T->handles)
      all.push_back(entry.second);
  }
  std::sort(all.begin(), all.end(),
            [](const Allocation &a, const Allocation &b) { return a.sequence < b.sequence; });
  return all;
}

void Ledger::changeAll(const std::function<void(Allocation &)> &edit) {
  std::lock_guard<std::mutex> lock(T->mutex);
  for (auto &entry : T->memory)
    edit(entry.second);
  for (auto &entry : T->handles)
    edit(entry.second);
}

std::vector<Allocation> Ledger::takeIf(const std::function<bool(const Allocation &)> &which) {
  std::lock_guard<std::mutex> lock(T->mutex);
  std::vector<Allocation> taken;
  auto take = [&](auto &table) {
    for (auto it = table.begin(); it != table.end();) {
      if (!which(it->second)) {
        ++it;
        continue;
      }
      T->held.remove(it->second);
      taken.push_back(it->second);
      it = table.erase(it);
    }
  };
  take(T->memory);
  take(T->handles);
  Generation.fetch_add(1, std::memory_order_release);
  return taken;
}

uint64_t Ledger::lastSequence() {
  std::lock_guard<std::mutex> lock(T->mutex);
  return T->sequence;
}

std::vector<DevicePeak> Ledger::peaks() {
  std::lock_guard<std::mutex> lock(T->mutex);
  return T->held.peaks();
}

std::vector<OwnerRow> Ledger::holdersAtPeak(int device) {
  std::lock_guard<std::mutex> lock(T->mutex);
  return T->held.atPeak(device);
}

std::vector<OwnerRow> Ledger::holdersNow() {
  std::lock_guard<std::mutex> lock(T->mutex);
  return T->held.now();
}

std::vector<AllocatedRow> Ledger::allocated() {
  std::lock_guard<std::mutex> lock(T->mutex);
  return T->held.allocated();
}

void Ledger::clear() {
  std::lock_guard<std::mutex> lock(T->mutex);
  T->memory.clear();
  T->handles.clear();
  T->freedMemory.clear();
  T->freedHandles.clear();
  T->freedOrder.clear();
  T->freedSlots.clear();
  T->held.clear();
  Generation.fetch_add(1, std::memory_order_release);
}

Ledger &ledger() {
  static Ledger *instance = new Ledger; // leaked: used during exit
  return *instance;
}

class LedgerPart : public Part {
public:
  void lock() override { ledger().T->mutex.lock(); }
  void unlock() override { ledger().T->mutex.unlock(); }
  /// It starts with no allocations: CUDA does not survive fork.
  void childAfterFork() override { ledger().clear(); }
};

Part &ledgerPart() {
  static Part *part = new LedgerPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
