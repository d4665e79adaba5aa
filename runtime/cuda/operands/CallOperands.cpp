// A call's operands, decoded from its frame.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/operands/CallOperands.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "cuda/operands/ArrayElements.h"
#include "cuda/operands/GraphNode.h"
#include "cuda/operands/StructLayouts.h"
#include <algorithm>

namespace gpuinstr::cuda {

namespace {

template <class T> const T *at(uint64_t address) { return reinterpret_cast<const T *>(address); }

uint64_t multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t orOne(uint64_t n) { return std::max<uint64_t>(n, 1); }

GPUINSTR_HOT void fillLinear(CallOperands &o) {
  o.bytes = o.slot(GPUINSTR_SLOT_BYTES);
  o.dst.address = o.slot(GPUINSTR_SLOT_DST);
  o.src.address = o.slot(GPUINSTR_SLOT_SRC);
  o.dst.width = o.src.width = o.bytes;
}

void fillPitched(CallOperands &o) {
  fillLinear(o);
  uint64_t rows = o.slot(GPUINSTR_SLOT_HEIGHT);
  o.dst.rows = o.src.rows = rows;
  o.dst.pitch = o.slot(GPUINSTR_SLOT_DPITCH);
  o.src.pitch = o.slot(GPUINSTR_SLOT_SPITCH);
  o.bytes = multiply(o.bytes, rows);
}

/// cudaMemcpy3D: a side is an array or a pitched pointer; a width that touches an array counts its
/// elements.
Region side3D(uint64_t array, const Pos &pos, const PitchedPtr &ptr, const Extent &extent,
              uint64_t elementBytes) {
  Region r;
  if (array) {
    r.array = array;
    r.place = hashMix(hashMix(pos.x, pos.y), pos.z);
    r.width = multiply(extent.width, elementBytes);
    r.rows = extent.height;
    r.slices = extent.depth;
    r.pitch = r.width;
    r.slicePitch = multiply(r.width, r.rows);
    return r;
  }
  uint64_t slice = multiply(ptr.pitch, ptr.ysize);
  r.address = ptr.ptr + pos.z * slice + pos.y * ptr.pitch + pos.x;
  r.width = multiply(extent.width, elementBytes);
  r.rows = extent.height;
  r.slices = extent.depth;
  r.pitch = ptr.pitch;
  r.slicePitch = slice;
  return r;
}

template <class Parms> void fill3D(CallOperands &o, const Parms &p) {
  uint64_t array = p.dstArray ? p.dstArray : p.srcArray, known = array ? elementBytesOf(array) : 1;
  uint64_t element = orOne(known);
  o.dst = side3D(p.dstArray, p.dstPos, p.dstPtr, p.extent, element);
  o.src = side3D(p.srcArray, p.srcPos, p.srcPtr, p.extent, element);
  if (!known) {
    // Elements, not bytes: the linear side is not judged.
    o.dst.address = o.src.address = 0;
  }
  o.bytes = multiply(multiply(multiply(p.extent.width, element), p.extent.height), p.extent.depth);
}

template <class Side> Region driverSide(const Side &s, uint64_t z, uint64_t sliceRows) {
  Region r;
  if (s.memoryType == Array) {
    r.array = s.array;
    r.place = hashMix(hashMix(s.xInBytes, s.y), z);
    return r;
  }
  uint64_t base = s.memoryType == Host ? s.host : s.device;
  r.pitch = s.pitch;
  r.slicePitch = multiply(s.pitch, sliceRows);
  r.address = base + z * r.slicePitch + s.y * s.pitch + s.xInBytes;
  return r;
}

void setExtent(Region &r, uint64_t width, uint64_t height, uint64_t depth) {
  r.width = width;
  r.rows = height;
  r.slices = depth;
  if (r.pitch == 0)
    r.pitch = width; // the driver takes 0 as tight for a single row
}

void fillDriver2D(CallOperands &o, const Memcpy2D &p) {
  o.dst = driverSide(p.dst, 0, 0);
  o.src = driverSide(p.src, 0, 0);
  setExtent(o.dst, p.widthInBytes, p.height, 1);
  setExtent(o.src, p.widthInBytes, p.height, 1);
  o.bytes = multiply(p.widthInBytes, p.height);
}

void fillDriver3D(CallOperands &o, const Memcpy3D &p) {
  o.dst = driverSide(p.dst, p.dst.z, p.dst.height);
  o.src = driverSide(p.src, p.src.z, p.src.height);
  setExtent(o.dst, p.widthInBytes, p.height, p.depth);
  setExtent(o.src, p.widthInBytes, p.height, p.depth);
  o.bytes = multiply(multiply(p.widthInBytes, p.height), p.depth);
}

void fillParams(CallOperands &o) {
  uint64_t params = o.slot(GPUINSTR_SLOT_PARAMS);
  if (!params)
    return;
  switch (o.detail) {
  case 0:
    return fill3D(o, *at<Memcpy3DParms>(params));
  case 1:
    return fill3D(o, *at<Memcpy3DPeerParms>(params));
  case 2:
    return fillDriver2D(o, *at<Memcpy2D>(params));
  case 3:
  case 4:
    return fillDriver3D(o, *at<Memcpy3D>(params));
  }
}

void fillSet3D(CallOperands &o) {
  auto *ptr = at<PitchedPtr>(o.slot(GPUINSTR_SLOT_DST));
  auto *extent = at<Extent>(o.slot(GPUINSTR_SLOT_PARAMS));
  if (!ptr || !extent)
    return;
  o.dst = side3D(0, {}, *ptr, *extent, 1);
  o.bytes = multiply(multiply(extent->width, extent->height), extent->depth);
}

void fillSymbol(CallOperands &o) {
  fillLinear(o);
  // A symbol's host address says nothing about device memory.
  (o.detail == 1 ? o.src : o.dst).address = 0;
}

void fillArrayCopy(CallOperands &o) {
  fillPitched(o);
  if (!(o.frame->site->slots >> GPUINSTR_SLOT_HEIGHT & 1)) {
    o.dst.rows = o.src.rows = 1;
    o.bytes = o.slot(GPUINSTR_SLOT_BYTES);
  }
  for (auto [region, bit] : {std::pair<Region *, unsigned>{&o.dst, 1}, {&o.src, 2}})
    if (o.detail & bit) {
      region->array = region->address;
      region->address = 0;
    }
}

void fillBatch(CallOperands &o) {
  auto *sizes = at<size_t>(o.slot(GPUINSTR_SLOT_PARAMS));
  uint64_t count = batchCount(o);
  for (uint64_t i = 0; sizes && i < count; ++i)
    o.bytes += sizes[i];
}

uint64_t formatBytes(uint32_t format) {
  switch (format) {
  case 0x01:
  case 0x08:
    return 1;
  case 0x02:
  case 0x09:
  case 0x10:
    return 2;
  case 0x03:
  case 0x0a:
  case 0x20:
    return 4;
  }
  return 1; // block-compressed and planar formats: at least that
}

uint64_t arrayBytes(const CallOperands &o) {
  uint64_t params = o.slot(GPUINSTR_SLOT_PARAMS), width, height, depth;
  if (!params)
    return 0;
  if (o.detail == 2) {
    auto &d = *at<ArrayDescriptor>(params);
    width = d.width, height = d.height, depth = 1;
  } else if (o.detail == 3) {
    auto &d = *at<Array3DDescriptor>(params);
    width = d.width, height = d.height, depth = d.depth;
  } else {
    auto *extent = at<Extent>(o.slot(GPUINSTR_SLOT_ARGS));
    width = extent ? extent->width : o.slot(GPUINSTR_SLOT_BYTES);
    height = extent ? extent->height : o.slot(GPUINSTR_SLOT_HEIGHT);
    depth = extent ? extent->depth : 1;
  }
  return multiply(multiply(multiply(width, orOne(height)), orOne(depth)), elementBytes(o));
}

GPUINSTR_HOT void fillAlloc(CallOperands &o) {
  o.dst.address = o.slot(GPUINSTR_SLOT_DST);
  o.pool = o.slot(GPUINSTR_SLOT_FUNC);
  switch (o.resource) {
  case GPUINSTR_RES_ARRAY:
  case GPUINSTR_RES_MIPMAPPED:
    o.bytes = arrayBytes(o);
    break;
  case GPUINSTR_RES_PITCHED: {
    auto *extent = at<Extent>(o.slot(GPUINSTR_SLOT_ARGS));
    o.dst.width = extent ? extent->width : o.slot(GPUINSTR_SLOT_BYTES);
    o.dst.rows =
        extent ? orOne(extent->height) * orOne(extent->depth) : o.slot(GPUINSTR_SLOT_HEIGHT);
    o.bytes = multiply(o.dst.width, o.dst.rows);
    break;
  }
  default:
    o.bytes = o.slot(GPUINSTR_SLOT_BYTES);
  }
}

CopyDirection directionOfKind(uint64_t kind) {
  return kind < 4 ? CopyDirection(kind + 1) : CopyDirection::Unknown; // cudaMemcpyKind + 1
}

GPUINSTR_HOT CopyDirection spelledDirection(const CallOperands &o) {
  CopyDirection direction = directionOf(*o.frame->site, o.slot(GPUINSTR_SLOT_KIND));
  if (direction == CopyDirection::Unknown && o.op == GPUINSTR_OP_COPY_3D && o.detail == 0)
    if (uint64_t params = o.slot(GPUINSTR_SLOT_PARAMS))
      return directionOfKind(uint64_t(at<Memcpy3DParms>(params)->kind));
  return direction;
}

GPUINSTR_HOT void fillMemory(CallOperands &o) {
  switch (o.op) {
  case GPUINSTR_OP_ALLOC:
    return fillAlloc(o);
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_PREFETCH:
  case GPUINSTR_OP_ADVISE:
    return fillLinear(o);
  case GPUINSTR_OP_SET_2D:
    return fillPitched(o);
  case GPUINSTR_OP_SET_3D:
    return fillSet3D(o);
  case GPUINSTR_OP_COPY:
    fillLinear(o);
    break;
  case GPUINSTR_OP_COPY_2D:
    fillPitched(o);
    break;
  case GPUINSTR_OP_COPY_3D:
    fillParams(o);
    break;
  case GPUINSTR_OP_COPY_SYMBOL:
    fillSymbol(o);
    break;
  case GPUINSTR_OP_COPY_ARRAY:
    fillArrayCopy(o);
    break;
  case GPUINSTR_OP_COPY_BATCH:
    fillBatch(o);
    break;
  default:
    o.dst.address = o.slot(GPUINSTR_SLOT_DST);
    return;
  }
  o.direction = spelledDirection(o);
}

template <class Config> void readConfig(CallOperands &o, const Config &c) {
  LaunchConfig &launch = o.launch;
  std::copy(c.grid, c.grid + 3, launch.grid);
  std::copy(c.block, c.block + 3, launch.block);
  launch.shared = uint32_t(c.shared);
  launch.dependent = isDependentLaunch(c.attributes, c.count);
  o.stream = c.stream;
}

void fillLaunch(CallOperands &o) {
  constexpr unsigned SeveralDevices = 1;
  if (o.detail == SeveralDevices)
    return;
  LaunchConfig &launch = o.launch;
  launch.known = true;
  launch.function = o.slot(GPUINSTR_SLOT_FUNC);
  if (uint64_t config = o.slot(GPUINSTR_SLOT_PARAMS)) {
    if (o.flags & GPUINSTR_SITE_DRIVER)
      return readConfig(o, *at<DriverLaunchConfig>(config));
    return readConfig(o, *at<RuntimeLaunchConfig>(config));
  }
  uint64_t xy = o.slot(GPUINSTR_SLOT_GRID_XY), block = o.slot(GPUINSTR_SLOT_BLOCK_XY);
  launch.grid[0] = uint32_t(xy);
  launch.grid[1] = uint32_t(xy >> 32);
  launch.grid[2] = uint32_t(o.slot(GPUINSTR_SLOT_GRID_Z));
  launch.block[0] = uint32_t(block);
  launch.block[1] = uint32_t(block >> 32);
  launch.block[2] = uint32_t(o.slot(GPUINSTR_SLOT_BLOCK_Z));
  launch.shared = uint32_t(o.slot(GPUINSTR_SLOT_SHARED));
}

} // namespace

uint64_t Region::spanOfRows() const {
  if (width == 0 || rows == 0 || slices == 0)
    return 0;
  uint64_t last = multiply(rows - 1, pitch), lastSlice = multiply(slices - 1, slicePitch), sum;
  if (last == UINT64_MAX || lastSlice == UINT64_MAX ||
      __builtin_add_overflow(last, lastSlice, &sum) || __builtin_add_overflow(sum, width, &sum))
    return UINT64_MAX;
  return sum;
}

GPUINSTR_HOT CopyDirection directionOf(const gpuinstr_site &site, uint64_t kind) {
  const bool toDevice = site.flags & GPUINSTR_SITE_DEVICE_DST,
             fromDevice = site.flags & GPUINSTR_SITE_DEVICE_SRC;
  if (toDevice && site.flags & GPUINSTR_SITE_HOST_SRC)
    return CopyDirection::HostToDevice;
  if (fromDevice && site.flags & GPUINSTR_SITE_HOST_DST)
    return CopyDirection::DeviceToHost;
  if (toDevice && fromDevice)
    return CopyDirection::DeviceToDevice;
  return site.slots >> GPUINSTR_SLOT_KIND & 1 ? directionOfKind(kind) : CopyDirection::Unknown;
}

void decode(const gpuinstr_frame &frame, CallOperands &o) {
  const gpuinstr_site &site = *frame.site;
  o = CallOperands();
  o.op = site.op;
  o.resource = site.resource;
  o.detail = site.detail;
  o.flags = site.flags;
  o.frame = &frame;
  o.stream = o.slot(GPUINSTR_SLOT_STREAM);
  if (o.op == GPUINSTR_OP_LAUNCH)
    fillLaunch(o);
  else
    fillMemory(o);
  if (o.stream == 0 && (site.flags & GPUINSTR_SITE_PER_THREAD))
    o.stream = 2;
}

GPUINSTR_HOT Made resultOf(const CallOperands &o) {
  uint64_t place = o.dst.address;
  Made made{0, o.bytes, 0};
  if (!place)
    return made;
  if (o.op == GPUINSTR_OP_ALLOC &&
      (o.resource == GPUINSTR_RES_REGISTERED || o.resource == GPUINSTR_RES_MAPPING)) {
    made.address = place;
    return made;
  }
  if (o.resource == GPUINSTR_RES_PITCHED) {
    if (o.detail == 1)
      made.pitch = at<PitchedPtr>(place)->pitch;
    else if (uint64_t where = o.slot(GPUINSTR_SLOT_DPITCH))
      made.pitch = *at<size_t>(where);
    if (made.pitch)
      made.bytes = multiply(made.pitch, o.dst.rows);
  }
  made.address = *at<uint64_t>(place);
  return made;
}

uint64_t elementBytes(const CallOperands &o) {
  uint64_t params = o.slot(GPUINSTR_SLOT_PARAMS);
  if (!params || (o.resource != GPUINSTR_RES_ARRAY && o.resource != GPUINSTR_RES_MIPMAPPED))
    return 0;
  if (o.detail == 2)
    return formatBytes(at<ArrayDescriptor>(params)->format) * at<ArrayDescriptor>(params)->channels;
  if (o.detail == 3)
    return formatBytes(at<Array3DDescriptor>(params)->format) *
           at<Array3DDescriptor>(params)->channels;
  auto &f = *at<ChannelFormatDesc>(params);
  return uint64_t(f.x + f.y + f.z + f.w) / 8;
}

uint64_t batchCount(const CallOperands &o) {
  return o.op == GPUINSTR_OP_COPY_BATCH && o.detail == 0 ? o.slot(GPUINSTR_SLOT_BYTES) : 0;
}

unsigned nodeDetail(const CallOperands &o) {
  auto *params = at<GraphNodeParams>(o.slot(GPUINSTR_SLOT_PARAMS));
  if (o.detail != NodeByStruct)
    return o.detail;
  if (!params)
    return NodeCallsHost;
  switch (params->type) {
  case GraphNodeParams::Kernel:
  case GraphNodeParams::Set:
    return NodeAdded;
  case GraphNodeParams::Copy:
    return NodeCopies3D;
  case GraphNodeParams::Graph:
    return NodeOfGraph;
  case GraphNodeParams::Empty:
    return NodeIsEmpty;
  default: // memory of its own, bodies that run on conditions, what waits for others
    return NodeCallsHost;
  }
}

uint64_t nodeGraph(const CallOperands &o) {
  auto *params = at<GraphNodeParams>(o.slot(GPUINSTR_SLOT_PARAMS));
  if (o.detail != NodeByStruct)
    return o.slot(GPUINSTR_SLOT_SRC);
  return params && params->child.ownership == 0 ? params->child.graph : 0;
}

bool nodeCopy(const CallOperands &o, CallOperands &copy) {
  copy = o;
  uint64_t kind = o.slot(GPUINSTR_SLOT_KIND);
  if (o.detail == NodeCopies) {
    copy.op = GPUINSTR_OP_COPY;
    copy.dst = copy.src = Region();
    copy.dst.address = o.slot(GPUINSTR_SLOT_ARGS);
    copy.src.address = o.slot(GPUINSTR_SLOT_SRC);
    copy.bytes = copy.dst.width = copy.src.width = o.slot(GPUINSTR_SLOT_BYTES);
  } else if (uint64_t params = o.slot(GPUINSTR_SLOT_PARAMS);
             params && nodeDetail(o) == NodeCopies3D) {
    auto &copied = o.detail == NodeByStruct ? at<GraphNodeParams>(params)->copy.params
                                            : *at<Memcpy3DParms>(params);
    copy.op = GPUINSTR_OP_COPY_3D;
    copy.detail = 0;
    fill3D(copy, copied);
    kind = uint64_t(copied.kind);
  } else {
    return false;
  }
  copy.direction = directionOfKind(kind);
  return true;
}

bool batchItem(const CallOperands &o, uint64_t index, CallOperands &item) {
  auto *dst = at<uint64_t>(o.slot(GPUINSTR_SLOT_DST)),
       *src = at<uint64_t>(o.slot(GPUINSTR_SLOT_SRC));
  auto *sizes = at<size_t>(o.slot(GPUINSTR_SLOT_PARAMS));
  if (!dst || !src || !sizes || index >= batchCount(o))
    return false;
  item = o;
  item.dst.address = dst[index];
  item.src.address = src[index];
  item.bytes = item.dst.width = item.src.width = sizes[index];
  return true;
}

} // namespace gpuinstr::cuda
