// What is live: memory by address interval, handles by value, and who holds how much.
// SPDX-License-Identifier: Apache-2.0
//
// A miss proves nothing: uninstrumented code allocates and frees too. One lock, held for lookups of
// a few dozen ns and never across a call of CUDA. Memory grows with what is live, with the places
// that allocate, and with a bounded list of what was freed last.
#ifndef GPUINSTR_LEDGER_LEDGER_H
#define GPUINSTR_LEDGER_LEDGER_H

#include "calls/sites/Sites.h"
#include "calls/threads/Thread.h"
#include "ledger/FreedMemory.h"
#include "ledger/FreedSlots.h"
#include <functional>
#include <optional>

namespace gpuinstr {

struct OwnerTally;

/// In two lines: what calls look at, and what the report does.
struct alignas(64) Allocation {
  uint64_t address = 0;  ///< or the handle
  uint64_t bytes = 0;    ///< 0 for handles
  uint16_t resource = 0; ///< gpuinstr_resource
  int16_t device = -1;   ///< -1 unknown
  SiteIndex site = 0, caller = 0;
  uint32_t name = 0;           ///< given by gpuinstr_name, see UserNames.h
  uint64_t sequence = 0;       ///< 1, 2 ... over all allocations of the process
  uint64_t slot = 0;           ///< of memory: where the call stored its address; 0 unknown
  OwnerTally *tally = nullptr; ///< MemoryByOwner's, while it is live; null: counted nowhere
  bool graphOwned = false;     ///< made under capture, or freed by a graph: never a leak
  bool counted = false;        ///< in its device's total
  bool listed = false;         ///< in its owner's row
  bool ignored = false;        ///< gpuinstr_ignore
  bool poolBacking = false;    ///< gpuinstr_pool_alloc named a piece of it
  bool isPools = false;        ///< ... of no bytes: what is handed out of it is not seen
  bool confirmed = false;      ///< the driver said at exit that it lives
  bool gone = false;           ///< the driver said at exit that it does not: unseen code freed it
  bool held = false;           ///< its address stood in a global variable at exit
  uint64_t ticks = 0;          ///< when
  uint64_t bufferId = 0;       ///< the driver's id of the memory, never reused; 0 unknown
  uint64_t context = 0;        ///< the driver's context, 0 unknown
  uint64_t pool = 0;           ///< memory pool handle, 0 the default one
  uint64_t storedAt = 0;       ///< of a handle of 32 bits: where the call stored it
  /// It stood in none but those that pointed there before, to memory that was freed: where the last
  /// such was allocated. 0: no such.
  SiteIndex pointedBefore = 0;
};
static_assert(sizeof(Allocation) == 128, "two cache lines");

/// Memory of one owner now or at a device's peak.
struct OwnerRow {
  int device;
  SiteIndex site, caller;
  uint16_t resource;
  uint64_t bytes, count;
};

/// What one owner allocated since the start.
struct AllocatedRow {
  int device;
  SiteIndex site, caller; ///< caller: 0 unless it gives the memory its name
  uint16_t resource;
  uint64_t count, bytes, peakBytes, liveCount, liveBytes;
};

struct DevicePeak {
  int device;
  uint64_t bytes, atTicks;
};

/// Memory that is found by an address inside it.
bool isMemory(unsigned resource);
/// Device memory, which counts in the peak.
bool isDeviceMemory(unsigned resource);
/// A handle, plan, generator or communicator of a vendor library.
bool isVendorHandle(unsigned resource);
/// Memory that the program asked for, of whatever kind; neither handles nor mappings of it.
bool isAllocated(const Allocation &a);

class Ledger {
public:
  /// Adds what a successful call returned. Anything believed live in the same place was freed by
  /// code that we do not see, and is forgotten. Sets sequence and ticks.
  void add(const Allocation &allocation);

  /// Takes out the memory that starts here, or the handle of this kind, if it still is the
  /// allocation of this sequence: another thread may have been given the same place meanwhile.
  /// Memory of whatever kind: cudaFree of stream-ordered memory is legal.
  /// False: it is not.
  bool remove(unsigned resource, uint64_t address, uint64_t sequence, const Freed &by);

  /// The allocation that contains the address.
  std::optional<Allocation> find(uint64_t address);
  /// The sequence of the memory that starts here, or of the handle of this kind; 0: there is none.
  uint64_t sequenceAt(unsigned resource, uint64_t address);
  std::optional<Allocation> findHandle(unsigned resource, uint64_t handle);
  /// What was freed here, the last such.
  std::optional<Freed> findFreed(uint64_t address);
  std::optional<Freed> findFreedHandle(unsigned resource, uint64_t handle);
  /// Of a variable at `slot` that now holds `value`: the memory that this pointed to when an
  /// allocating call stored it, if that was freed since and no other call wrote there.
  std::optional<FreedSlot> findFreedSlot(uint64_t slot, uint64_t value);
  void forgetFreed(uint64_t address);
  /// An allocator hands out pieces of the memory, or kind of handle, at this place; `unseen`: of
  /// which nobody tells.
  void markPool(uint64_t address, bool unseen);
  /// How often it was called.
  uint32_t poolsMarked() const { return PoolsMarked.load(std::memory_order_relaxed); }

  /// Changes with all memory that is allocated or freed.
  uint64_t generation() const { return Generation.load(std::memory_order_acquire); }
  /// No memory was allocated or freed since it was filled.
  bool isCurrent(const RangeCache &cache) const { return cache.generation == generation(); }
  /// True when the range lies inside one live allocation, or starts where there is none and was
  /// none of late, and this thread knows that already: no lock.
  bool knownHarmless(const RangeCache &cache, uint64_t address, uint64_t span) const {
    const RangeCache::Span &large = cache.spans[RangeCache::spanOf(address)];
    if (large.generation == generation() && address - large.base < large.bytes)
      return span <= large.bytes - (address - large.base);
    if (!isCurrent(cache))
      return false;
    for (unsigned i = 0; i < RangeCache::Ways; ++i) {
      if (address >= cache.base[i] && address < cache.end[i])
        return span <= cache.end[i] - address;
      if (address >= cache.gapBase[i] && address < cache.gapEnd[i])
        return true;
    }
    return false;
  }
  /// Of what knownHarmless() says true of: nothing that is known lives there.
  bool knownGap(const RangeCache &cache, uint64_t address) const {
    if (!isCurrent(cache))
      return false;
    for (unsigned i = 0; i < RangeCache::Ways; ++i)
      if (address >= cache.gapBase[i] && address < cache.gapEnd[i])
        return true;
    return false;
  }
  /// find(), and remembers the answer in the cache.
  std::optional<Allocation> findAndCache(RangeCache &cache, uint64_t address);

  /// Changes one allocation in place: memory by any address inside it, or a handle of any kind.
  bool change(uint64_t addressOrHandle, const std::function<void(Allocation &)> &edit);
  /// A copy of all that is live, by sequence.
  std::vector<Allocation> snapshot();
  /// Changes all that is live, in no order.
  void changeAll(const std::function<void(Allocation &)> &edit);
  /// Takes out all that `which` accepts. It counts as freed by `by`; nullptr: not as freed.
  std::vector<Allocation> takeIf(const std::function<bool(const Allocation &)> &which,
                                 const Freed *by = nullptr);

  uint64_t lastSequence();
  std::vector<DevicePeak> peaks();
  std::vector<OwnerRow> holdersAtPeak(int device);
  /// Over all devices.
  std::vector<OwnerRow> holdersNow();
  std::vector<AllocatedRow> allocated();
  void clear();

  Ledger();

private:
  friend class LedgerPart;
  struct Tables;
  Tables *T; ///< leaked with the ledger
  std::atomic<uint64_t> Generation{1};
  std::atomic<uint32_t> PoolsMarked{0};

  void addMemory(const Allocation &allocation);
  void addHandle(const Allocation &allocation);
  void start(Allocation &allocation);
  void cacheGap(RangeCache &cache, uint64_t address);
  void eraseOverlap(uint64_t begin, uint64_t end);
  void noteFreedHandle(Freed freed);
};

Ledger &ledger();

class Part;
Part &ledgerPart();

} // namespace gpuinstr

#endif
