// Who holds how much device memory, now and at each device's peak.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/MemoryByOwner.h"
#include "base/Hash.h"
#include "ledger/AllocationNaming.h"
#include <algorithm>

namespace gpuinstr {

size_t MemoryByOwner::KeyHash::operator()(const Key &k) const {
  return hashMix((uint64_t(k.site) << 32) | k.caller,
                 (uint64_t(uint16_t(k.device)) << 16) | k.resource);
}

MemoryByOwner::Row &MemoryByOwner::touch(const Allocation &a, Device &device) {
  Row &row = Rows[{a.device, a.resource, a.site, a.caller}];
  if (row.peak != device.peak) { // unchanged since the peak: its value now is its value then
    row.peakBytes = row.bytes;
    row.peakCount = row.count;
    row.peak = device.peak;
  }
  return row;
}

MemoryByOwner::Key MemoryByOwner::ownerOf(const Allocation &a) {
  return {a.device, a.resource, a.site, callerThatNames(a.site, a.caller)};
}

void MemoryByOwner::add(Allocation &a) {
  a.counted = isDeviceMemory(a.resource) && !a.graphOwned;
  a.listed = isAllocated(a);
  if (a.listed) {
    Owner &owner = Owners[ownerOf(a)];
    ++owner.count;
    owner.bytes += a.bytes;
    ++owner.liveCount;
    owner.liveBytes += a.bytes;
    owner.most = std::max(owner.most, owner.liveBytes);
  }
  if (!a.counted)
    return;
  Device &device = Devices[a.device];
  Row &row = touch(a, device);
  row.bytes += a.bytes;
  ++row.count;
  device.bytes += a.bytes;
  if (device.bytes > device.peakBytes) {
    device.peakBytes = device.bytes;
    device.peakTicks = a.ticks;
    ++device.peak;
  }
}

void MemoryByOwner::remove(const Allocation &a) {
  if (a.listed) {
    Owner &owner = Owners[ownerOf(a)];
    --owner.liveCount;
    owner.liveBytes -= a.bytes;
  }
  if (!a.counted)
    return;
  Device &device = Devices[a.device];
  Row &row = touch(a, device);
  row.bytes -= a.bytes;
  --row.count;
  device.bytes -= a.bytes;
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
  for (auto &[key, row] : Rows) {
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
  for (auto &[key, row] : Rows)
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
  Rows.clear();
  Devices.clear();
}

} // namespace gpuinstr
