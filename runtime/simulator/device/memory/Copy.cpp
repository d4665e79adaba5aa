// Copies and sets: checking them when they are asked for, doing them when their turn comes.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Copy.h"

#include "device/memory/Allocations.h"
#include "device/stream/Capture.h"
#include "device/stream/Stream.h"

#include <cstring>

namespace gpuinstr::sim {

namespace {

/// One side of a copy, free of the source and destination names.
struct Side {
  CUmemorytype type;
  CUdeviceptr address;
  CUarray array;
  size_t x, y, z, pitch, rows;
};

Side source(const CUDA_MEMCPY3D &p) {
  CUdeviceptr address = p.srcMemoryType == CU_MEMORYTYPE_HOST
                            ? reinterpret_cast<CUdeviceptr>(p.srcHost)
                            : p.srcDevice;
  return {p.srcMemoryType, address, p.srcArray, p.srcXInBytes,
          p.srcY,          p.srcZ,  p.srcPitch, p.srcHeight};
}

Side destination(const CUDA_MEMCPY3D &p) {
  CUdeviceptr address = p.dstMemoryType == CU_MEMORYTYPE_HOST
                            ? reinterpret_cast<CUdeviceptr>(p.dstHost)
                            : p.dstDevice;
  return {p.dstMemoryType, address, p.dstArray, p.dstXInBytes,
          p.dstY,          p.dstZ,  p.dstPitch, p.dstHeight};
}

/// Where row \p y of slice \p z of one side starts.
char *row(const Side &s, size_t y, size_t z) {
  if (s.type == CU_MEMORYTYPE_ARRAY)
    return reinterpret_cast<char *>(s.array->memory) +
           ((s.z + z) * s.array->rows + s.y + y) * s.array->rowBytes + s.x;
  size_t rows = s.rows ? s.rows : 1;
  return reinterpret_cast<char *>(s.address) + ((s.z + z) * rows + s.y + y) * s.pitch + s.x;
}

bool multiplyAdd(size_t a, size_t b, size_t c, size_t &out) {
  return !__builtin_mul_overflow(a, b, &out) && !__builtin_add_overflow(out, c, &out);
}

/// Bytes from a side's address to one past the last byte touched. False when it overflows.
bool extent(const Side &s, size_t width, size_t height, size_t depth, size_t &bytes) {
  size_t rows = 0, rowsPerSlice = s.rows ? s.rows : 1, lastSlice = 0, lastRow = 0;
  if (__builtin_add_overflow(s.z, depth - 1, &lastSlice) ||
      __builtin_add_overflow(s.y, height - 1, &lastRow) ||
      !multiplyAdd(lastSlice, rowsPerSlice, lastRow, rows))
    return false;
  return multiplyAdd(rows, s.pitch, s.x, bytes) && !__builtin_add_overflow(bytes, width, &bytes);
}

/// Whether [Address, Address + Bytes) lies in one allocation, or in mapped ranges side by side.
bool covered(State &s, CUdeviceptr address, size_t bytes) {
  auto next = s.graphRanges.upper_bound(address);
  if (next != s.graphRanges.begin()) {
    auto range = std::prev(next);
    size_t offset = address - range->first;
    if (offset < range->second && bytes <= range->second - offset)
      return true;
  }
  while (bytes) {
    CUdeviceptr base = 0;
    Allocation *found = findAllocation(s, address, &base);
    if (!found)
      return false;
    size_t left = base + found->size - address;
    if (bytes <= left)
      return true;
    if (found->kind != AllocKind::Mapped)
      return false;
    address += left;
    bytes -= left;
  }
  return true;
}

CUresult checkLinear(State &s, CUmemorytype type, CUdeviceptr address, size_t bytes) {
  if (!address || address + bytes < address)
    return CUDA_ERROR_INVALID_VALUE;
  // With unified addressing the driver goes by the address: device memory is accepted where host
  // memory is claimed, only the reverse is an error.
  if (type == CU_MEMORYTYPE_DEVICE || findAllocation(s, address))
    return covered(s, address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return inDeviceMemory(s, address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult checkSide(State &s, const Side &a, size_t width, size_t height, size_t depth) {
  if (a.type == CU_MEMORYTYPE_ARRAY) {
    if (!a.array || !s.arrays.count(a.array))
      return CUDA_ERROR_INVALID_HANDLE;
    auto fits = [](size_t offset, size_t count, size_t limit) {
      return offset <= limit && count <= limit - offset;
    };
    bool inside = fits(a.x, width, a.array->rowBytes) && fits(a.y, height, a.array->rows) &&
                  fits(a.z, depth, a.array->slices);
    return inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  if (a.type < CU_MEMORYTYPE_HOST || a.type > CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  bool needsPitch = height > 1 || depth > 1;
  if (needsPitch && a.pitch < width)
    return CUDA_ERROR_INVALID_VALUE;
  if (depth > 1 && a.rows && a.rows < height)
    return CUDA_ERROR_INVALID_VALUE;
  size_t bytes = 0;
  if (!extent(a, width, height, depth, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return checkLinear(s, a.type, a.address, bytes);
}

/// Pageable: host memory that CUDA does not know.
bool pageable(State &s, const Side &a) {
  return a.type != CU_MEMORYTYPE_ARRAY && !findAllocation(s, a.address);
}

/// From the device to the device a call returns at once, whatever it is named.
bool isOnDevice(State &s, const Side &a) {
  if (a.type == CU_MEMORYTYPE_ARRAY)
    return true;
  const Allocation *memory = findAllocation(s, a.address);
  return memory && !memory->hostVisible() && !memory->syncMemops;
}

/// Of a synchronous copy between two devices, all that it comes behind: the work of both. What
/// follows on either comes behind the copy, so the call waits for it.
std::vector<StreamPoint> workOfBoth(State &s, const CUDA_MEMCPY3D &params) {
  const Allocation *to = findAllocation(s, destination(params).address);
  const Allocation *from = findAllocation(s, source(params).address);
  if (!to || !from || to->device == from->device || !to->context || !from->context)
    return {};
  std::vector<StreamPoint> work = workOf(*to->context), others = workOf(*from->context);
  work.insert(work.end(), others.begin(), others.end());
  return work;
}

/// Saves the source bytes and makes the copy read the saved ones.
void stage(CopyOp &copy) {
  CUDA_MEMCPY3D &p = copy.params;
  Side from = source(p);
  auto bytes = std::make_shared<std::vector<char>>(p.WidthInBytes * p.Height * p.Depth);
  char *to = bytes->data();
  for (size_t z = 0; z < p.Depth; ++z)
    for (size_t y = 0; y < p.Height; ++y, to += p.WidthInBytes)
      std::memcpy(to, row(from, y, z), p.WidthInBytes);
  copy.staged = bytes;
}

} // namespace

CUDA_MEMCPY3D linearCopy(CUmemorytype dstType, const void *dst, CUmemorytype srcType,
                         const void *src, size_t bytes) {
  CUDA_MEMCPY3D p = {};
  p.srcMemoryType = srcType;
  p.srcHost = src;
  p.srcDevice = reinterpret_cast<CUdeviceptr>(src);
  p.dstMemoryType = dstType;
  p.dstHost = const_cast<void *>(dst);
  p.dstDevice = reinterpret_cast<CUdeviceptr>(dst);
  p.srcPitch = p.dstPitch = p.WidthInBytes = bytes;
  p.Height = p.Depth = 1;
  return p;
}

CUresult checkCopy(State &s, const CUDA_MEMCPY3D &p) {
  if (!p.WidthInBytes || !p.Height || !p.Depth)
    return CUDA_SUCCESS;
  if (CUresult r = checkSide(s, destination(p), p.WidthInBytes, p.Height, p.Depth))
    return r;
  return checkSide(s, source(p), p.WidthInBytes, p.Height, p.Depth);
}

CUresult copy(CUcontext context, const CUDA_MEMCPY3D &params, CUstream handle, bool wait) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (CUresult r = checkCopy(s, params))
    return r;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  CopyOp copy{params, nullptr};
  if (stream->capture)
    return capture(*stream, std::move(copy));
  if (!params.WidthInBytes || !params.Height || !params.Depth)
    return CUDA_SUCCESS;
  bool toPageable = pageable(s, destination(params));
  const bool isWithin = isOnDevice(s, destination(params)) && isOnDevice(s, source(params));
  const std::vector<StreamPoint> before =
      wait && isWithin ? workOfBoth(s, params) : std::vector<StreamPoint>();
  wait = wait && (!isWithin || !before.empty());
  if (!wait && !isIdle(*stream) && pageable(s, source(params)))
    stage(copy);
  if (Oracle *oracle = Oracle::get())
    copy.order = oracle->asked(rowsOf(copy));
  StreamPoint point = submit(l, stream, std::move(copy), before);
  // A copy to pageable memory returns when it is complete, asynchronous or not.
  if (!wait && !toPageable)
    return CUDA_SUCCESS;
  waitFor(l, point);
  return afterWaiting(l, stream->context);
}

namespace {
template <class Visit> void eachRow(const CopyOp &copy, Visit visit) {
  const CUDA_MEMCPY3D &p = copy.params;
  Side to = destination(p), from = source(p);
  if (copy.staged)
    from = {CU_MEMORYTYPE_HOST,
            reinterpret_cast<CUdeviceptr>(copy.staged->data()),
            nullptr,
            0,
            0,
            0,
            p.WidthInBytes,
            p.Height};
  for (size_t z = 0; z < p.Depth; ++z)
    for (size_t y = 0; y < p.Height; ++y)
      visit(row(to, y, z), row(from, y, z), p.WidthInBytes);
}

template <class Visit> void eachRow(const SetOp &set, Visit visit) {
  const CUDA_MEMSET_NODE_PARAMS &p = set.params;
  for (size_t z = 0; z < set.depth; ++z)
    for (size_t y = 0; y < p.height; ++y)
      visit(reinterpret_cast<char *>(p.dst) + z * set.slicePitch + y * p.pitch,
            p.width * p.elementSize);
}
} // namespace

TransferRows rowsOf(const CopyOp &copy) {
  TransferRows rows;
  eachRow(copy, [&](char *to, char *from, size_t bytes) {
    rows.to.emplace_back(to, bytes);
    rows.from.emplace_back(from, bytes);
  });
  rows.toArray = copy.params.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  rows.fromArray = copy.params.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  rows.line = copy.line;
  rows.order = copy.order;
  return rows;
}

TransferRows rowsOf(const SetOp &set) {
  TransferRows rows;
  eachRow(set, [&](char *to, size_t bytes) {
    rows.to.emplace_back(to, bytes);
    for (size_t i = 0; i < bytes; ++i)
      rows.bytes.push_back(static_cast<char>(set.params.value >> (i % set.params.elementSize * 8)));
  });
  rows.line = set.line;
  rows.order = set.order;
  return rows;
}

void runCopy(const CopyOp &copy) {
  eachRow(copy, [](char *to, const char *from, size_t bytes) { std::memmove(to, from, bytes); });
}

CUresult checkSet(State &s, const SetOp &set) {
  const CUDA_MEMSET_NODE_PARAMS &p = set.params;
  if (!p.width || !p.height || !set.depth)
    return CUDA_SUCCESS;
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  size_t width = 0, bytes = 0, slices = 0;
  if (p.dst % p.elementSize || __builtin_mul_overflow(p.width, p.elementSize, &width))
    return CUDA_ERROR_INVALID_VALUE;
  if (p.height > 1 && p.pitch < width)
    return CUDA_ERROR_INVALID_VALUE;
  if (!multiplyAdd(p.height - 1, p.height > 1 ? p.pitch : 0, width, bytes) ||
      !multiplyAdd(set.depth - 1, set.slicePitch, bytes, slices))
    return CUDA_ERROR_INVALID_VALUE;
  return checkLinear(s, CU_MEMORYTYPE_DEVICE, p.dst, slices);
}

CUresult set(CUcontext context, const SetOp &set, CUstream handle, bool wait) {
  State &s = state();
  {
    Lock l(s.m);
    if (CUresult r = checkSet(s, set))
      return r;
  }
  if (!set.params.width || !set.params.height || !set.depth)
    return CUDA_SUCCESS;
  SetOp asked = set;
  if (Oracle *oracle = Oracle::get())
    asked.order = oracle->asked(rowsOf(set));
  return enqueue(context, handle, std::move(asked), wait);
}

void runSet(const SetOp &set) {
  const CUDA_MEMSET_NODE_PARAMS &p = set.params;
  eachRow(set, [&](char *row, size_t) {
    if (p.elementSize == 1)
      std::memset(row, static_cast<int>(p.value), p.width);
    else if (p.elementSize == 2)
      std::fill_n(reinterpret_cast<uint16_t *>(row), p.width, static_cast<uint16_t>(p.value));
    else
      std::fill_n(reinterpret_cast<uint32_t *>(row), p.width, p.value);
  });
}

} // namespace gpuinstr::sim
