// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/OperationKind.h"
#include "base/Clock.h"
#include "cuda/operands/StructLayouts.h"
#include "time/sampled/pairs/EventPairs.h"

namespace gpuinstr::timing {

namespace {

// From cuda.h.
constexpr int AttributeMemoryType = 2;

/// 4 KiB were seen to be small and 64 MiB not: what lies between has the wider doubt.
constexpr uint64_t MostSmallSet = 64 << 10;

/// No launch takes less on the host: within this time of a copy's end there was none.
constexpr double LeastLaunchNs = 2000;
/// A copy whose call took longer waited, or the host copied the bytes: it is nearly over.
constexpr double MostIssueNs = 15000;

double nsOf(uint64_t ticks) {
  static const double ns = nsPerTick();
  return double(ticks) * ns;
}

/// Behind a copy that long ago a launch may still wait for it. One that need not have been costs 2
/// us of the host's time.
constexpr double RecentCopyNs = 100000;

enum class Place { Unknown, Pageable, Pinned, Device };

Place placeOf(const DriverApi &api, uint64_t address) {
  if (!address || !api.pointerGetAttribute)
    return Place::Unknown;
  uint32_t type = 0;
  if (api.pointerGetAttribute(&type, AttributeMemoryType, address) != Success)
    return Place::Pageable;
  return type == cuda::Host ? Place::Pinned : Place::Device;
}

CopyDirection directionBetween(Place src, Place dst) {
  if (src == Place::Unknown || dst == Place::Unknown)
    return CopyDirection::Unknown;
  bool fromDevice = src == Place::Device, toDevice = dst == Place::Device;
  if (fromDevice)
    return toDevice ? CopyDirection::DeviceToDevice : CopyDirection::DeviceToHost;
  return toDevice ? CopyDirection::HostToDevice : CopyDirection::HostToHost;
}

OperationKind copyKey(const DriverApi &api, const cuda::CallOperands &o) {
  OperationKind key;
  key.work = DeviceWorkKind::Copy;
  key.direction = o.direction;
  Place src = Place::Unknown, dst = Place::Unknown;
  if (key.direction == CopyDirection::Unknown) {
    src = placeOf(api, o.src.address);
    dst = placeOf(api, o.dst.address);
    key.direction = directionBetween(src, dst);
  } else if (key.direction == CopyDirection::HostToDevice) {
    src = placeOf(api, o.src.address);
  } else if (key.direction == CopyDirection::DeviceToHost) {
    dst = placeOf(api, o.dst.address);
  }
  Place host = key.direction == CopyDirection::HostToDevice   ? src
               : key.direction == CopyDirection::DeviceToHost ? dst
                                                              : Place::Unknown;
  key.memory = host == Place::Pageable ? HostMemoryKind::Pageable
               : host == Place::Pinned ? HostMemoryKind::Pinned
                                       : HostMemoryKind::Unknown;
  return key;
}

} // namespace

OperationKind kindOf(const DriverApi &api, const cuda::CallOperands &o) {
  OperationKind key;
  switch (o.op) {
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    key.work = DeviceWorkKind::Set;
    return key;
  case GPUINSTR_OP_GRAPH_LAUNCH:
    key.work = DeviceWorkKind::Graph;
    return key;
  }
  return copyKey(api, o);
}

WorkClass classOf(const OperationKind &key, const cuda::CallOperands &o) {
  switch (key.work) {
  case DeviceWorkKind::Kernel:
    return WorkClass::Kernel;
  case DeviceWorkKind::Set:
    return o.bytes <= MostSmallSet ? WorkClass::SmallSet : WorkClass::LargeSet;
  case DeviceWorkKind::Graph:
    return WorkClass::Graph;
  case DeviceWorkKind::Copy:
    break;
  }
  bool onDevice = key.direction == CopyDirection::DeviceToDevice; // a kernel of the driver's
  bool blocks = !(o.frame->site->slots >> GPUINSTR_SLOT_STREAM & 1) && !onDevice;
  bool staged = key.memory == HostMemoryKind::Pageable;
  if (staged && key.direction == CopyDirection::HostToDevice)
    return WorkClass::StagedUpload;
  if (staged && key.direction == CopyDirection::DeviceToHost) // waits, whatever its name
    return WorkClass::StagedDownload;
  return onDevice ? WorkClass::DeviceCopy : blocks ? WorkClass::BlockingCopy : WorkClass::Copy;
}

LastCopy copyBefore(const LastCopy &last, uint64_t nowTicks) {
  return last.endTicks && nsOf(nowTicks - last.endTicks) < LeastLaunchNs ? last : LastCopy();
}

bool isRecent(const LastCopy &copy, uint64_t nowTicks) {
  return copy.endTicks && nsOf(nowTicks - copy.endTicks) < RecentCopyNs;
}

bool runsOnKernelsEngine(const cuda::CallOperands &o) {
  const bool isSet = o.op >= GPUINSTR_OP_SET && o.op <= GPUINSTR_OP_SET_3D;
  return isSet || o.op == GPUINSTR_OP_LAUNCH;
}

EngineChange engineChange(const OperationKind &key, WorkClass work, const LastCopy &behind) {
  if (behind.endTicks && nsOf(behind.callTicks) >= MostIssueNs)
    return EngineChange::Perhaps;
  // Sets, and copies within a device, are kernels of the driver's.
  const bool isCopy = work == WorkClass::Copy || work == WorkClass::BlockingCopy;
  const CopyDirection last = behind.endTicks ? cuda::directionOf(*behind.site, behind.kind)
                                             : CopyDirection::DeviceToDevice;
  const bool isSame = isCopy ? last == key.direction : last == CopyDirection::DeviceToDevice;
  return isSame ? EngineChange::None : EngineChange::Likely;
}

} // namespace gpuinstr::timing
