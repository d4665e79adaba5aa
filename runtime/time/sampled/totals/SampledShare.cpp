// What a device's time went into, as far as sampled totals tell it.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/SampledShare.h"
#include "profile/DeviceRows.h"
#include <algorithm>
#include <set>

namespace gpuinstr::timing {

using profile::DeviceOperation;
using profile::DevicePart;
using profile::DeviceRow;
using profile::GpuShare;
using profile::Profile;
using profile::Site;
using profile::SiteKind;
using profile::TimeMethod;

namespace {

uint64_t *partFor(GpuShare &share, DeviceOperation operation) {
  switch (operation) {
  case DeviceOperation::Kernel:
  case DeviceOperation::Graph:
    return &share.kernels_ns;
  case DeviceOperation::Set:
    return &share.set_ns;
  case DeviceOperation::HostToDevice:
    return &share.h2d_ns;
  case DeviceOperation::DeviceToHost:
    return &share.d2h_ns;
  case DeviceOperation::DeviceToDevice:
    return &share.d2d_ns;
  default:
    return nullptr;
  }
}

constexpr uint64_t GpuShare::*BusyParts[] = {&GpuShare::kernels_ns, &GpuShare::h2d_ns,
                                             &GpuShare::d2h_ns, &GpuShare::d2d_ns,
                                             &GpuShare::set_ns};

uint64_t busyNs(const GpuShare &share) {
  uint64_t sum = 0;
  for (auto part : BusyParts)
    sum += share.*part;
  return sum;
}

/// What a pair leaves open is the same everywhere: intervals add up. Where nothing was timed, on
/// which device that was is not known either: it may have been any.
void addRows(const Profile &profile, GpuShare &share) {
  for (const Site &site : profile.sites) {
    share.untimed += site.device.untimed + profile::copiesInNoPart(site, share.device);
    if (site.device.method != TimeMethod::Sampled)
      continue;
    for (const DeviceRow &row : site.device.rows)
      for (const DevicePart &on : row.devices) {
        if (on.device != share.device)
          continue;
        if (uint64_t *part = partFor(share, row.operation.value())) {
          *part += on.total_ns;
          share.ci_ns += on.ci_ns;
        }
      }
  }
  share.sum_ns = busyNs(share);
}

/// Estimates may exceed the wall time by what they leave open.
void fitInto(GpuShare &share) {
  double scale = double(share.wall_ns) / double(share.sum_ns);
  for (auto part : BusyParts)
    share.*part = uint64_t(double(share.*part) * scale);
  share.kernels_ns += share.wall_ns - std::min(share.wall_ns, busyNs(share)); // rounding
}

/// The host's time by what it did. The device was idle in each part for at least what is longer
/// than all work of the device together.
struct HostParts {
  uint64_t startUp = 0, copies = 0, allocation = 0, issue = 0, sync = 0, all = 0;
  uint64_t blockingNs = 0; ///< work of the device that ran while the host was in a copy
};

/// A copy that blocks has run when the call is back, but for pageable memory to the device: its
/// last piece may still be on the way.
uint64_t blockingNs(const Site &site, int device) {
  uint64_t sum = 0;
  for (const DeviceRow &row : site.device.rows)
    if (row.operation == DeviceOperation::DeviceToHost ||
        (row.operation == DeviceOperation::HostToDevice && row.memory == profile::HostSide::Pinned))
      for (const DevicePart &on : row.devices)
        if (on.device == device)
          sum += on.total_ns - std::min(on.total_ns, on.ci_ns);
  return sum;
}

HostParts hostParts(const Profile &profile, int device) {
  HostParts parts;
  const profile::Process &process = profile.process;
  for (const Site &site : profile.sites) {
    uint64_t ns = site.host.total_ns + site.host.first_ns;
    parts.all += ns;
    // CUDA's own start lies in these first calls.
    if (!site.id.empty() &&
        (site.id == process.first_site || site.id == process.startup.context_site)) {
      ns = site.host.total_ns;
      bool before = !profile::asksOfDevice(site.kind) && site.kind != SiteKind::Region &&
                    site.kind != SiteKind::Sync;
      if (before && site.id == process.startup.context_site)
        parts.startUp = std::min(site.host.first_ns, process.startup.context_ns);
    }
    if (profile::blocksHost(site)) {
      parts.copies += ns;
      parts.blockingNs += blockingNs(site, device);
    } else if (site.kind == SiteKind::Copy || site.kind == SiteKind::Set ||
               site.kind == SiteKind::Launch) {
      parts.issue += ns;
    } else if (site.kind == SiteKind::Alloc || site.kind == SiteKind::Free ||
               site.kind == SiteKind::Create || site.kind == SiteKind::Destroy) {
      parts.allocation += ns;
    } else if (site.kind == SiteKind::Sync) {
      parts.sync += ns;
    }
  }
  return parts;
}

void fillCauses(const Profile &profile, const SampledFacts &facts, GpuShare &share) {
  if (facts.hostThreads != 1 || facts.paused || share.untimed || share.unseen)
    return;
  HostParts parts = hostParts(profile, share.device);
  if (parts.all > share.wall_ns)
    return;
  uint64_t most = share.sum_ns + share.ci_ns, outside = most - std::min(most, parts.blockingNs);
  auto prove = [&](uint64_t GpuShare::*part, uint64_t hostNs, uint64_t busy) {
    uint64_t ns = std::min(share.idle_unknown_ns, hostNs - std::min(hostNs, busy));
    share.*part = ns;
    share.idle_unknown_ns -= ns;
  };
  prove(&GpuShare::idle_startup_ns, parts.startUp, 0); // no context, no work
  prove(&GpuShare::idle_host_ns, share.wall_ns - parts.all, outside);
  prove(&GpuShare::idle_copies_ns, parts.copies, most);
  prove(&GpuShare::idle_allocation_ns, parts.allocation, outside);
  prove(&GpuShare::idle_sync_ns, parts.sync, outside);
  prove(&GpuShare::idle_launch_ns, parts.issue, outside);
}

std::set<int> devicesOf(const Profile &profile) {
  std::set<int> devices;
  for (const Site &site : profile.sites)
    for (const DeviceRow &row : site.device.rows)
      for (const DevicePart &on : row.devices)
        if (site.device.method == TimeMethod::Sampled && on.device >= 0)
          devices.insert(on.device);
  return devices;
}

/// False: nothing of its work was timed.
bool fillShare(const Profile &profile, const SampledFacts &facts, GpuShare &share) {
  share.method = TimeMethod::Sampled;
  share.wall_ns = profile::recordedNs(profile.process);
  addRows(profile, share);
  if (share.sum_ns == 0 || share.wall_ns == 0)
    return false;
  share.untimed += facts.leftOut;
  for (const profile::Image &image : profile.coverage.images)
    share.unseen |= !image.instrumented;
  share.at_most = facts.paused || (facts.severalStreams && facts.severalStreams(share.device));
  if (share.sum_ns > share.wall_ns + share.ci_ns) {
    share.overlapped = true;
    for (auto part : BusyParts)
      share.*part = 0;
    return true;
  }
  if (share.sum_ns > share.wall_ns)
    fitInto(share);
  share.idle_unknown_ns = share.wall_ns - busyNs(share);
  fillCauses(profile, facts, share);
  return true;
}

} // namespace

void countUntimed(Profile &profile) {
  bool sampled = std::any_of(profile.sites.begin(), profile.sites.end(), [](const Site &site) {
    return site.device.method == TimeMethod::Sampled;
  });
  if (!sampled)
    return;
  for (Site &site : profile.sites) {
    profile::DeviceTime &device = site.device;
    uint64_t calls = site.calls - std::min(site.calls, site.failed);
    if (profile::asksOfDevice(site.kind) && device.samples == 0)
      device.untimed = calls - std::min(calls, device.no_work);
  }
}

std::vector<GpuShare> sampledShares(const Profile &profile, const SampledFacts &facts) {
  std::vector<GpuShare> shares;
  for (int device : devicesOf(profile)) {
    GpuShare share;
    share.device = device;
    if (fillShare(profile, facts, share))
      shares.push_back(std::move(share));
  }
  return shares;
}

} // namespace gpuinstr::timing
