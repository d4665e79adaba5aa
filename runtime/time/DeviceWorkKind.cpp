// Which kind of device work an operation is.
// SPDX-License-Identifier: Apache-2.0
#include "time/DeviceWorkKind.h"
#include "cuda/StructLayouts.h"

namespace gpuinstr::timing {

namespace {

// From cuda.h.
constexpr int AttributeMemoryType = 2;

/// 4 KiB were seen to be small and 64 MiB not: what lies between has the wider doubt.
constexpr uint64_t MostSmallSet = 64 << 10;

enum class Place { Unknown, Pageable, Pinned, Device };

Place placeOf(const DriverApi &api, uint64_t address) {
  if (!address || !api.pointerGetAttribute)
    return Place::Unknown;
  uint32_t type = 0;
  if (api.pointerGetAttribute(&type, AttributeMemoryType, address) != Success)
    return Place::Pageable;
  return type == cuda::Host ? Place::Pinned : Place::Device;
}

} // namespace

/// cudaMemcpyKind + 1, or Unknown where the pointers decide.
Direction spelledDirection(const Operation &o) {
  uint32_t f = o.flags;
  if (f & (GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC |
           GPUINSTR_SITE_HOST_SRC)) {
    bool toDevice = f & GPUINSTR_SITE_DEVICE_DST, fromDevice = f & GPUINSTR_SITE_DEVICE_SRC;
    bool toHost = f & GPUINSTR_SITE_HOST_DST, fromHost = f & GPUINSTR_SITE_HOST_SRC;
    if (toDevice && fromHost)
      return Direction::HostToDevice;
    if (toHost && fromDevice)
      return Direction::DeviceToHost;
    if (toDevice && fromDevice)
      return Direction::DeviceToDevice;
  }
  uint64_t kind = 4; // cudaMemcpyDefault
  if (o.op == GPUINSTR_OP_COPY_3D) {
    if (o.detail == 0 && o.slot(GPUINSTR_SLOT_PARAMS))
      kind = uint64_t(
          reinterpret_cast<const cuda::Memcpy3DParms *>(o.slot(GPUINSTR_SLOT_PARAMS))->kind);
  } else if (o.frame->site->slots >> GPUINSTR_SLOT_KIND & 1) {
    kind = o.slot(GPUINSTR_SLOT_KIND);
  }
  return kind < 4 ? Direction(kind + 1) : Direction::Unknown;
}

namespace {

Direction directionBetween(Place src, Place dst) {
  if (src == Place::Unknown || dst == Place::Unknown)
    return Direction::Unknown;
  bool fromDevice = src == Place::Device, toDevice = dst == Place::Device;
  if (fromDevice)
    return toDevice ? Direction::DeviceToDevice : Direction::DeviceToHost;
  return toDevice ? Direction::HostToDevice : Direction::HostToHost;
}

RowKey copyKey(const DriverApi &api, const Operation &o) {
  RowKey key;
  key.work = Work::Copy;
  key.direction = spelledDirection(o);
  Place src = Place::Unknown, dst = Place::Unknown;
  if (key.direction == Direction::Unknown) {
    src = placeOf(api, o.src.address);
    dst = placeOf(api, o.dst.address);
    key.direction = directionBetween(src, dst);
  } else if (key.direction == Direction::HostToDevice) {
    src = placeOf(api, o.src.address);
  } else if (key.direction == Direction::DeviceToHost) {
    dst = placeOf(api, o.dst.address);
  }
  Place host = key.direction == Direction::HostToDevice   ? src
               : key.direction == Direction::DeviceToHost ? dst
                                                          : Place::Unknown;
  key.memory = host == Place::Pageable ? HostMemory::Pageable
               : host == Place::Pinned ? HostMemory::Pinned
                                       : HostMemory::None;
  return key;
}

} // namespace

RowKey rowKeyOf(const DriverApi &api, const Operation &o) {
  RowKey key;
  switch (o.op) {
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    key.work = Work::Set;
    return key;
  case GPUINSTR_OP_GRAPH_LAUNCH:
    key.work = Work::Graph;
    return key;
  }
  return copyKey(api, o);
}

WorkClass classOf(const RowKey &key, const Operation &o) {
  switch (key.work) {
  case Work::Kernel:
    return WorkClass::Kernel;
  case Work::Set:
    return o.bytes <= MostSmallSet ? WorkClass::SmallSet : WorkClass::LargeSet;
  case Work::Graph:
    return WorkClass::Graph;
  case Work::Copy:
    break;
  }
  bool onDevice = key.direction == Direction::DeviceToDevice; // a kernel of the driver's
  bool blocks = !(o.frame->site->slots >> GPUINSTR_SLOT_STREAM & 1) && !onDevice;
  bool staged = key.memory == HostMemory::Pageable;
  if (staged && key.direction == Direction::HostToDevice)
    return WorkClass::StagedUpload;
  if (staged && key.direction == Direction::DeviceToHost) // waits, whatever its name
    return WorkClass::StagedDownload;
  return onDevice ? WorkClass::DeviceCopy : blocks ? WorkClass::BlockingCopy : WorkClass::Copy;
}

} // namespace gpuinstr::timing
