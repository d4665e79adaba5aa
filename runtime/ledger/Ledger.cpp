// What is live: memory by address interval, handles by value, and who holds how much.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/Ledger.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "base/Part.h"
#include "base/locks/InlineMutex.h"
#include "ledger/HandleTable.h"
#include "ledger/MemoryByOwner.h"
#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {
constexpr size_t MaxFreedHandles = 8192, MaxSpare = 64;
constexpr uint64_t LeastSpan = uint64_t(1) << 21;

struct HandleKey {
  uint64_t handle;
  unsigned resource;
  bool operator==(const HandleKey &o) const { return handle == o.handle && resource == o.resource; }
};
struct HandleHash {
  size_t operator()(const HandleKey &k) const { return hashMix(k.handle, k.resource); }
};
} // namespace

GPUINSTR_HOT bool isDeviceMemory(unsigned resource) {
  return (resource >= GPUINSTR_RES_DEVICE && resource <= GPUINSTR_RES_MANAGED) ||
         resource == GPUINSTR_RES_VMM;
}

bool isVendorHandle(unsigned resource) {
  return resource >= GPUINSTR_RES_CUBLAS && resource <= GPUINSTR_RES_NCCL;
}

GPUINSTR_HOT bool isAllocated(const Allocation &a) {
  bool memory = isMemory(a.resource) || isDeviceMemory(a.resource);
  return memory && a.resource != GPUINSTR_RES_MAPPING && a.bytes && !a.graphOwned;
}

GPUINSTR_HOT bool isMemory(unsigned resource) {
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
  InlineMutex mutex;
  uint64_t sequence = 0, order = 0;
  AddressMap<Allocation> memory; ///< by first address
  /// Of allocations that ended: most that begin later allocate nothing.
  std::vector<std::unique_ptr<Allocation>> spare;
  FreedMemory freedMemory;
  FreedSlots freedSlots;
  MemoryByOwner held;
  HandleTable<HandleKey, Allocation, HandleHash> handles;
  HandleTable<HandleKey, Freed, HandleHash> freedHandles;
  /// Oldest first: what leaves when the table is full. (order, key); stale rows are passed over.
  std::deque<std::pair<uint64_t, HandleKey>> freedOrder;

  Tables() { spare.reserve(MaxSpare); }
  /// The memory that contains the address; null: none.
  Allocation *at(uint64_t address) const {
    auto found = memory.floor(address);
    return found && address - found.address < std::max<uint64_t>(found.value->bytes, 1)
               ? found.value
               : nullptr;
  }
  void end(uint64_t address) {
    std::unique_ptr<Allocation> ended(memory.take(address));
    if (spare.size() < MaxSpare)
      spare.push_back(std::move(ended));
  }
};

Ledger::Ledger() : T(new Tables) {}

GPUINSTR_HOT void Ledger::eraseOverlap(uint64_t begin, uint64_t end) {
  for (auto last = T->memory.floor(end - 1); last; last = T->memory.floor(end - 1)) {
    if (last.address + last.value->bytes <= begin && last.address < begin)
      break;
    T->held.remove(*last.value);
    T->end(last.address);
  }
  T->freedMemory.forgetOverlap(begin, end);
}

GPUINSTR_HOT void Ledger::start(Allocation &a) {
  a.sequence = ++T->sequence;
  a.ticks = ticks();
  T->held.add(a);
}

GPUINSTR_HOT void Ledger::addMemory(const Allocation &a) {
  T->freedSlots.noteWritten(a.slot);
  eraseOverlap(a.address, a.address + std::max<uint64_t>(a.bytes, 1));
  if (T->spare.empty())
    T->spare.push_back(std::make_unique<Allocation>());
  Allocation &live = *T->spare.back();
  live = a;
  start(live);
  T->memory.set(a.address, &live);
  (void)T->spare.back().release();
  T->spare.pop_back();
}

void Ledger::addHandle(const Allocation &a) {
  HandleKey key{a.address, a.resource};
  Allocation &live = T->handles.at(key);
  if (live.sequence)
    T->held.remove(live);
  T->freedHandles.erase(key);
  live = a;
  start(live);
}

GPUINSTR_HOT void Ledger::add(const Allocation &a) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  if (!isMemory(a.resource))
    return addHandle(a);
  addMemory(a);
  Generation.fetch_add(1, std::memory_order_release);
}

static GPUINSTR_HOT Freed freedOf(const Allocation &a, Freed by) {
  by.address = a.address;
  by.bytes = a.bytes;
  by.resource = a.resource;
  by.allocSite = a.site;
  by.allocCaller = a.caller;
  by.name = a.name;
  return by;
}

void Ledger::noteFreedHandle(Freed freed) {
  freed.order = ++T->order;
  HandleKey key{freed.address, freed.resource};
  T->freedHandles.at(key) = freed;
  T->freedOrder.push_back({freed.order, key});
  if (T->freedOrder.size() <= MaxFreedHandles)
    return;
  auto [order, oldest] = T->freedOrder.front();
  T->freedOrder.pop_front();
  const Freed *handle = T->freedHandles.find(oldest);
  if (handle && handle->order == order)
    T->freedHandles.erase(oldest);
}

GPUINSTR_HOT bool Ledger::remove(unsigned resource, uint64_t address, uint64_t sequence,
                                 const Freed &by) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  bool memory = isMemory(resource);
  const HandleKey key{address, resource};
  const Allocation *found = memory ? T->memory.find(address) : T->handles.find(key);
  if (!found || found->sequence != sequence)
    return false;
  T->held.remove(*found);
  T->freedSlots.noteFreed(*found);
  const Freed freed = freedOf(*found, by);
  if (memory) {
    T->end(address);
    T->freedMemory.note(freed);
    Generation.fetch_add(1, std::memory_order_release);
  } else {
    T->handles.erase(key);
    noteFreedHandle(freed);
  }
  return true;
}

std::optional<Allocation> Ledger::find(uint64_t address) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const Allocation *found = T->at(address);
  return found ? std::optional<Allocation>(*found) : std::nullopt;
}

GPUINSTR_HOT uint64_t Ledger::sequenceAt(unsigned resource, uint64_t address) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const Allocation *found =
      isMemory(resource) ? T->memory.find(address) : T->handles.find({address, resource});
  return found ? found->sequence : 0;
}

std::optional<Allocation> Ledger::findAndCache(RangeCache &cache, uint64_t address) {
  uint64_t generation = Generation.load(std::memory_order_acquire);
  std::optional<Allocation> found = find(address);
  if (found && found->bytes >= LeastSpan) {
    cache.spans[RangeCache::spanOf(address)] = {generation, found->address, found->bytes};
    return found;
  }
  if (cache.generation != generation)
    cache.startAnew(generation);
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
  std::lock_guard<InlineMutex> lock(T->mutex);
  uint64_t begin = 0, end = UINT64_MAX;
  if (auto next = T->memory.above(address))
    end = next.address;
  if (auto last = T->memory.floor(address))
    begin = last.address + std::max<uint64_t>(last.value->bytes, 1);
  T->freedMemory.narrowGap(address, begin, end);
  if (begin > address)
    return; // inside what was freed
  cache.gapBase[cache.nextGap] = begin;
  cache.gapEnd[cache.nextGap] = end;
  cache.nextGap = (cache.nextGap + 1) % RangeCache::Ways;
}

std::optional<Allocation> Ledger::findHandle(unsigned resource, uint64_t handle) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const Allocation *found = T->handles.find({handle, resource});
  return found ? std::optional<Allocation>(*found) : std::nullopt;
}

std::optional<Freed> Ledger::findFreed(uint64_t address) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const Freed *found = T->freedMemory.find(address);
  return found ? std::optional<Freed>(*found) : std::nullopt;
}

std::optional<Freed> Ledger::findFreedHandle(unsigned resource, uint64_t handle) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const Freed *found = T->freedHandles.find({handle, resource});
  return found ? std::optional<Freed>(*found) : std::nullopt;
}

std::optional<FreedSlot> Ledger::findFreedSlot(uint64_t slot, uint64_t value) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  const FreedSlot *found = T->freedSlots.find(slot);
  return found && value >= found->begin && value < found->end ? std::optional<FreedSlot>(*found)
                                                              : std::nullopt;
}

void Ledger::forgetFreed(uint64_t address) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  T->freedMemory.forget(address);
}

bool Ledger::change(uint64_t value, const std::function<void(Allocation &)> &edit) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  if (Allocation *memory = T->at(value)) {
    edit(*memory);
    return true;
  }
  for (unsigned resource = 1; resource < GPUINSTR_RES_COUNT_; ++resource) {
    if (Allocation *handle = T->handles.find({value, resource})) {
      edit(*handle);
      return true;
    }
  }
  return false;
}

std::vector<Allocation> Ledger::snapshot() {
  std::vector<Allocation> all;
  {
    std::lock_guard<InlineMutex> lock(T->mutex);
    all.reserve(T->memory.size() + T->handles.size());
    T->memory.each([&](const Allocation &a) { all.push_back(a); });
    T->handles.each([&](const HandleKey &, const Allocation &a) { all.push_back(a); });
  }
  std::sort(all.begin(), all.end(),
            [](const Allocation &a, const Allocation &b) { return a.sequence < b.sequence; });
  return all;
}

void Ledger::markPool(uint64_t address, bool unseen) {
  auto mark = [&](Allocation &a) {
    a.poolBacking = true;
    a.isPools |= unseen;
  };
  if (change(address, mark))
    PoolsMarked.fetch_add(1, std::memory_order_relaxed);
}

void Ledger::changeAll(const std::function<void(Allocation &)> &edit) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  T->memory.each(edit);
  T->handles.each([&](const HandleKey &, Allocation &a) { edit(a); });
}

std::vector<Allocation> Ledger::takeIf(const std::function<bool(const Allocation &)> &which,
                                       const Freed *by) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  std::vector<Allocation> taken;
  auto take = [&](const Allocation &a) {
    T->held.remove(a);
    taken.push_back(a);
  };
  T->memory.each([&](const Allocation &a) {
    if (which(a))
      take(a);
  });
  for (const Allocation &a : taken)
    T->end(a.address);
  T->handles.eraseIf([&](const HandleKey &, const Allocation &a) {
    const bool is = which(a);
    if (is)
      take(a);
    return is;
  });
  for (const Allocation &a : taken)
    if (by && isMemory(a.resource))
      T->freedMemory.note(freedOf(a, *by));
    else if (by)
      noteFreedHandle(freedOf(a, *by));
  Generation.fetch_add(1, std::memory_order_release);
  return taken;
}

uint64_t Ledger::lastSequence() {
  std::lock_guard<InlineMutex> lock(T->mutex);
  return T->sequence;
}

std::vector<DevicePeak> Ledger::peaks() {
  std::lock_guard<InlineMutex> lock(T->mutex);
  return T->held.peaks();
}

std::vector<OwnerRow> Ledger::holdersAtPeak(int device) {
  std::lock_guard<InlineMutex> lock(T->mutex);
  return T->held.atPeak(device);
}

std::vector<OwnerRow> Ledger::holdersNow() {
  std::lock_guard<InlineMutex> lock(T->mutex);
  return T->held.now();
}

std::vector<AllocatedRow> Ledger::allocated() {
  std::lock_guard<InlineMutex> lock(T->mutex);
  return T->held.allocated();
}

void Ledger::clear() {
  std::lock_guard<InlineMutex> lock(T->mutex);
  T->memory.each([](Allocation &a) { delete &a; });
  T->memory.clear();
  T->handles.clear();
  T->freedMemory.clear();
  T->freedHandles.clear();
  T->freedOrder.clear();
  T->freedSlots.clear();
  T->held.clear();
  Generation.fetch_add(1, std::memory_order_release);
}

static GPUINSTR_HOT_DATA std::atomic<Ledger *> Known{nullptr};

__attribute__((noinline)) static Ledger &makeLedger() {
  static Ledger *made = new Ledger; // leaked: used during exit
  Known.store(made, std::memory_order_release);
  return *made;
}

GPUINSTR_HOT Ledger &ledger() {
  Ledger *known = Known.load(std::memory_order_acquire);
  return __builtin_expect(known != nullptr, true) ? *known : makeLedger();
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
