// Who holds how much device memory, now and at each device's peak.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_MEMORYBYOWNER_H
#define GPUINSTR_LEDGER_MEMORYBYOWNER_H

#include "ledger/Ledger.h"
#include <map>
#include <unordered_map>

namespace gpuinstr {

/// Exact at the peak, at constant cost a call: a row keeps its value of the peak only when it first
/// changes after it, so that nothing is ever copied as a whole.
class MemoryByOwner {
public:
  /// Sets `counted`, `listed` and `tally`.
  void add(Allocation &a);
  void remove(const Allocation &a);
  std::vector<DevicePeak> peaks() const;
  std::vector<OwnerRow> atPeak(int device) const;
  std::vector<OwnerRow> now() const;
  /// All memory, pinned included, since the start.
  std::vector<AllocatedRow> allocated() const;
  void clear();

private:
  friend struct OwnerTally;
  struct Key {
    int16_t device;
    uint16_t resource;
    SiteIndex site, caller;
    bool operator==(const Key &o) const {
      return device == o.device && resource == o.resource && site == o.site && caller == o.caller;
    }
  };
  struct KeyHash {
    size_t operator()(const Key &k) const;
  };
  // A cache line each.
  struct alignas(64) Owner {
    uint64_t count = 0, bytes = 0, most = 0, liveCount = 0, liveBytes = 0;
  };
  struct alignas(64) Device {
    uint64_t bytes = 0, peakBytes = 0, peakTicks = 0;
    uint64_t peak = 0; ///< counts new peaks
  };

  static Key ownerOf(const Allocation &a);
  OwnerTally &tallyOf(const Allocation &a);

  std::unordered_map<Key, OwnerTally, KeyHash> Tallies; ///< never smaller until cleared
  std::unordered_map<Key, Owner, KeyHash> Owners;
  std::map<int, Device> Devices;
  OwnerTally *Last = nullptr; ///< that was looked up
};

/// A line's memory on one device: an allocation's way to all that it counts in.
struct OwnerTally {
  MemoryByOwner::Key key;
  uint64_t bytes = 0, count = 0;
  uint64_t peakBytes = 0, peakCount = 0;
  uint64_t peak = 0;                       ///< number of the peak that the two above belong to
  MemoryByOwner::Device *device = nullptr; ///< null: nothing of it counts there
  MemoryByOwner::Owner *owner = nullptr;   ///< likewise
};

} // namespace gpuinstr

#endif
