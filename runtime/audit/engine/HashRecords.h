// The records of one context's hashes: slots in host memory that the device fills.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ENGINE_HASHRECORDS_H
#define GPUINSTR_AUDIT_ENGINE_HASHRECORDS_H

#include "audit/engine/DeviceHasher.h"
#include "audit/hash/HashRegion.h"
#include <atomic>

namespace gpuinstr::audit {

/// Lock-free; any thread. The slots are shared memory that stays mapped for good: they can be read
/// when CUDA is gone, a late write of the device hits nothing else, and a fork copies no pinned
/// page.
class Records {
public:
  static constexpr uint32_t Count = 1024;
  /// Hashes that the device may have before it. A program that queues a thousand operations behind
  /// one that waits for the host must not find the driver's queue full because of us.
  static constexpr uint32_t MaxPending = 128;

  /// Maps the memory, or makes it ready for another context (when idle). False: there is none.
  bool create();
  void *memory() const { return Slots; }
  static constexpr size_t bytes() { return sizeof(hash::Result) * 2 * Count; }

  /// 0: all are in use.
  Ticket begin();
  /// No ticket is held.
  bool idle() const { return Held.load(std::memory_order_acquire) == 0; }

  struct Place {
    uint32_t slot;  ///< index of its hash::Result
    uint64_t stamp; ///< what the device is to write
    uint32_t pendingIndex;
  };
  /// Announces a hash. None: filled in. Full: too many are under way.
  EnqueueResult announce(Ticket ticket, bool after, Place &place);
  /// The launch failed: nothing will come.
  void withdraw(Ticket ticket, bool after, const Place &place);

  bool arrived(Ticket ticket) const; ///< all that was announced
  Reading read(Ticket ticket) const;
  void release(Ticket ticket);

private:
  /// Taken: on its way to Used, under a generation that may still be the last one's.
  enum State : uint32_t { Free, Taken, Used, Released };
  struct Record {
    std::atomic<uint32_t> state{Free};
    std::atomic<uint32_t> announced{0}; ///< bits: 1 before, 2 after
    std::atomic<uint64_t> generation{0};
  };
  const Record *find(Ticket ticket) const;
  Record *find(Ticket ticket) {
    return const_cast<Record *>(static_cast<const Records *>(this)->find(ticket));
  }
  /// Whether what the slot holds was written for this stamp.
  bool holds(uint32_t slot, uint64_t stamp, ContentHash &value) const;
  bool arrived(uint32_t index, const Record &record) const;
  bool isUnderWay(uint32_t slot, uint64_t stamp) const;
  bool takePending(Place &place);
  bool take(uint32_t index);
  bool isVacant(uint32_t index, uint32_t state) const;

  hash::Result *Slots = nullptr;
  Record All[Count];
  std::atomic<uint32_t> Hint{0}, Held{0}, NextPending{0};
  std::atomic<uint64_t> Pending[MaxPending] = {}; ///< stamp above the slot's SlotBits; 0 none
};

} // namespace gpuinstr::audit

#endif
