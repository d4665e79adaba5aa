// Who holds how much device memory, now and at each device's peak.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/MemoryByOwner.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "ledger/AllocationNaming.h"
#include <algorithm>

namespace gpuinstr {

size_t MemoryByOwner::KeyHash::operator()(const Key &k) const {
  return hashMix((uint64_t(k.site) << 32) | k.caller,
                 (uint64_t(uint16_t(k.device)) << 16) | k.resource);
}

MemoryByOwner::Key MemoryByOwner::ownerOf(const Allocation &a) {
  return {a.device, a.resource, a.site, callerThatNames(a.site, a.caller)};
}

GPUINSTR_HOT OwnerTally &MemoryByOwner::tallyOf(const Allocation &a) {
  Key key{a.device, a.resource, a.site, a.caller};
  if (!Last || !(Last->key == key)) {
    Last = &Tallies[key];
    Last->key = key;
  }
  if (a.counted && !Last->device)
    Last->device = &Devices[a.device];
  if (a.listed && !Last->owner)
    Last->owner = &Owners[ownerOf(a)];
  return *Last;
}

namespace {
/// Before it changes: unchanged since the device's peak, its value now is its value then.
void keepPeak(OwnerTally &tally, uint64_t peak) {
  if (tally.peak == peak)
    return;
  tally.peakBytes = tally.bytes;
  tally.peakCount = tally.count;
  tally.peak = peak;
}
} // namespace

GPUINSTR_HOT void MemoryByOwner::add(Allocation &a) {
  a.counted = isDeviceMemory(a.resource) && !a.graphOwned;
  a.listed = isAllocated(a);
  a.tally = a.counted || a.listed ? &tallyOf(a) : nullptr;
  if (a.listed) {
    Owner &owner = *a.tally->owner;
    ++owner.count;
    owner.bytes += a.bytes;
    ++owner.liveCount;
    owner.liveBytes += a.bytes;
    owner.most = std::max(owner.most, owner.liveBytes);
  }
  if (!a.counted)
    return;
  OwnerTally &tally = *a.tally;
  Device &device = *tally.device;
  keepPeak(tally, device.peak);
  tally.bytes += a.bytes;
  ++tally.count;
  device.bytes += a.bytes;
  if (device.bytes > device.peakBytes) {
    device.peakBytes = device.bytes;
    device.peakTicks = a.ticks;
    ++device.peak;
  }
}

GPUINSTR_HOT void MemoryByOwner::remove(const Allocation &a) {
  if (!a.tally) // or there was no memory for it
    return;
  if (a.listed) {
    Owner &owner = *a.tally->owner;
    --owner.liveCount;
    owner.liveBytes -= a.bytes;
  }
  if (!a.counted)
    return;
  OwnerTally &tally = *a.tally;
  keepPeak(tally, tally.device->peak);
  tally.bytes -= a.bytes;
  --tally.count;
  tally.device->bytes -= a.bytes;
}

std::vector<DevicePeak> MemoryByOwner::peaks() const {
  std::vector<DevicePeak> all;
  for (auto &[ordinal, device] : Devices)
    all.push_back({ordinal, device.peakBytes, device.peakTicks});
  return all;
}

std::vector<OwnerRow> MemoryByOwner::atPeak(int ordinal) const {
  std::vector<OwnerRow> all;
  auto device = Devices.find(ordinal);
  if (device == Devices.end())
    return all;
  for (auto &[key, row] : Tallies) {
    if (key.device != ordinal)
      continue;
    bool changed = row.peak == device->second.peak;
    uint64_t bytes = changed ? row.peakBytes : row.bytes;
    if (bytes)
      all.push_back({ordinal, key.site, key.caller, key.resource, bytes,
                     changed ? row.peakCount : row.count});
  }
  return all;
}

std::vector<OwnerRow> MemoryByOwner::now() const {
  std::vector<OwnerRow> all;
  for (auto &[key, row] : Tallies)
    if (row.bytes)
      all.push_back({key.device, key.site, key.caller, key.resource, row.bytes, row.count});
  return all;
}

std::vector<AllocatedRow> MemoryByOwner::allocated() const {
  std::vector<AllocatedRow> all;
  for (auto &[key, owner] : Owners)
    all.push_back({key.device, key.site, key.caller, key.resource, owner.count, owner.bytes,
                   owner.most, owner.liveCount, owner.liveBytes});
  return all;
}

void MemoryByOwner::clear() {
  Owners.clear();
  Tallies.clear();
  Last = nullptr;
  Devices.clear();
}

} // namespace gpuinstr
