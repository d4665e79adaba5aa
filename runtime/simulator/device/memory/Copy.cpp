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
  CUmemorytype Type;
  CUdeviceptr Address;
  CUarray Array;
  size_t X, Y, Z, Pitch, Rows;
};

Side source(const CUDA_MEMCPY3D &P) {
  CUdeviceptr Address = P.srcMemoryType == CU_MEMORYTYPE_HOST
                            ? reinterpret_cast<CUdeviceptr>(P.srcHost)
                            : P.srcDevice;
  return {P.srcMemoryType, Address, P.srcArray, P.srcXInBytes,
          P.srcY,          P.srcZ,  P.srcPitch, P.srcHeight};
}

Side destination(const CUDA_MEMCPY3D &P) {
  CUdeviceptr Address = P.dstMemoryType == CU_MEMORYTYPE_HOST
                            ? reinterpret_cast<CUdeviceptr>(P.dstHost)
                            : P.dstDevice;
  return {P.dstMemoryType, Address, P.dstArray, P.dstXInBytes,
          P.dstY,          P.dstZ,  P.dstPitch, P.dstHeight};
}

/// Where row \p Y of slice \p Z of one side starts.
char *row(const Side &S, size_t Y, size_t Z) {
  if (S.Type == CU_MEMORYTYPE_ARRAY)
    return reinterpret_cast<char *>(S.Array->Memory) +
           ((S.Z + Z) * S.Array->Rows + S.Y + Y) * S.Array->RowBytes + S.X;
  size_t Rows = S.Rows ? S.Rows : 1;
  return reinterpret_cast<char *>(S.Address) + ((S.Z + Z) * Rows + S.Y + Y) * S.Pitch + S.X;
}

bool multiplyAdd(size_t A, size_t B, size_t C, size_t &Out) {
  return !__builtin_mul_overflow(A, B, &Out) && !__builtin_add_overflow(Out, C, &Out);
}

/// Bytes from a side's address to one past the last byte touched. False when it overflows.
bool extent(const Side &S, size_t Width, size_t Height, size_t Depth, size_t &Bytes) {
  size_t Rows = 0, RowsPerSlice = S.Rows ? S.Rows : 1, LastSlice = 0, LastRow = 0;
  if (__builtin_add_overflow(S.Z, Depth - 1, &LastSlice) ||
      __builtin_add_overflow(S.Y, Height - 1, &LastRow) ||
      !multiplyAdd(LastSlice, RowsPerSlice, LastRow, Rows))
    return false;
  return multiplyAdd(Rows, S.Pitch, S.X, Bytes) && !__builtin_add_overflow(Bytes, Width, &Bytes);
}

/// Whether [Address, Address + Bytes) lies in one allocation, or in mapped ranges side by side.
bool covered(State &S, CUdeviceptr Address, size_t Bytes) {
  auto Next = S.GraphRanges.upper_bound(Address);
  if (Next != S.GraphRanges.begin()) {
    auto Range = std::prev(Next);
    size_t Offset = Address - Range->first;
    if (Offset < Range->second && Bytes <= Range->second - Offset)
      return true;
  }
  while (Bytes) {
    CUdeviceptr Base = 0;
    Allocation *Found = findAllocation(S, Address, &Base);
    if (!Found)
      return false;
    size_t Left = Base + Found->Size - Address;
    if (Bytes <= Left)
      return true;
    if (Found->Kind != AllocKind::Mapped)
      return false;
    Address += Left;
    Bytes -= Left;
  }
  return true;
}

CUresult checkLinear(State &S, CUmemorytype Type, CUdeviceptr Address, size_t Bytes) {
  if (!Address || Address + Bytes < Address)
    return CUDA_ERROR_INVALID_VALUE;
  // With unified addressing the driver goes by the address: device memory is accepted where host
  // memory is claimed, only the reverse is an error.
  if (Type == CU_MEMORYTYPE_DEVICE || findAllocation(S, Address))
    return covered(S, Address, Bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return inDeviceMemory(S, Address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult checkSide(State &S, const Side &A, size_t Width, size_t Height, size_t Depth) {
  if (A.Type == CU_MEMORYTYPE_ARRAY) {
    if (!A.Array || !S.Arrays.count(A.Array))
      return CUDA_ERROR_INVALID_HANDLE;
    auto Fits = [](size_t Offset, size_t Count, size_t Limit) {
      return Offset <= Limit && Count <= Limit - Offset;
    };
    bool Inside = Fits(A.X, Width, A.Array->RowBytes) && Fits(A.Y, Height, A.Array->Rows) &&
                  Fits(A.Z, Depth, A.Array->Slices);
    return Inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  if (A.Type < CU_MEMORYTYPE_HOST || A.Type > CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  bool NeedsPitch = Height > 1 || Depth > 1;
  if (NeedsPitch && A.Pitch < Width)
    return CUDA_ERROR_INVALID_VALUE;
  if (Depth > 1 && A.Rows && A.Rows < Height)
    return CUDA_ERROR_INVALID_VALUE;
  size_t Bytes = 0;
  if (!extent(A, Width, Height, Depth, Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return checkLinear(S, A.Type, A.Address, Bytes);
}

/// Pageable: host memory that CUDA does not know.
bool pageable(State &S, const Side &A) {
  return A.Type != CU_MEMORYTYPE_ARRAY && !findAllocation(S, A.Address);
}

/// Saves the source bytes and makes the copy read the saved ones.
void stage(CopyOp &Copy) {
  CUDA_MEMCPY3D &P = Copy.Params;
  Side From = source(P);
  auto Bytes = std::make_shared<std::vector<char>>(P.WidthInBytes * P.Height * P.Depth);
  char *To = Bytes->data();
  for (size_t Z = 0; Z < P.Depth; ++Z)
    for (size_t Y = 0; Y < P.Height; ++Y, To += P.WidthInBytes)
      std::memcpy(To, row(From, Y, Z), P.WidthInBytes);
  Copy.Staged = Bytes;
}

} // namespace

CUDA_MEMCPY3D linearCopy(CUmemorytype DstType, const void *Dst, CUmemorytype SrcType,
                         const void *Src, size_t Bytes) {
  CUDA_MEMCPY3D P = {};
  P.srcMemoryType = SrcType;
  P.srcHost = Src;
  P.srcDevice = reinterpret_cast<CUdeviceptr>(Src);
  P.dstMemoryType = DstType;
  P.dstHost = const_cast<void *>(Dst);
  P.dstDevice = reinterpret_cast<CUdeviceptr>(Dst);
  P.srcPitch = P.dstPitch = P.WidthInBytes = Bytes;
  P.Height = P.Depth = 1;
  return P;
}

CUresult checkCopy(State &S, const CUDA_MEMCPY3D &P) {
  if (!P.WidthInBytes || !P.Height || !P.Depth)
    return CUDA_SUCCESS;
  if (CUresult R = checkSide(S, destination(P), P.WidthInBytes, P.Height, P.Depth))
    return R;
  return checkSide(S, source(P), P.WidthInBytes, P.Height, P.Depth);
}

CUresult copy(CUcontext Context, const CUDA_MEMCPY3D &Params, CUstream Handle, bool Wait) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (CUresult R = checkCopy(S, Params))
    return R;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  CopyOp Copy{Params, nullptr};
  if (Stream->Capture)
    return capture(*Stream, std::move(Copy));
  if (!Params.WidthInBytes || !Params.Height || !Params.Depth)
    return CUDA_SUCCESS;
  bool ToPageable = pageable(S, destination(Params));
  if (!Wait && !isIdle(*Stream) && pageable(S, source(Params)))
    stage(Copy);
  StreamPoint Point = submit(L, Stream, std::move(Copy));
  // A copy to pageable memory returns when it is complete, asynchronous or not.
  if (!Wait && !ToPageable)
    return CUDA_SUCCESS;
  waitFor(L, Point);
  return afterWaiting(L, Stream->Context);
}

void runCopy(const CopyOp &Copy) {
  const CUDA_MEMCPY3D &P = Copy.Params;
  Side To = destination(P), From = source(P);
  if (Copy.Staged)
    From = {CU_MEMORYTYPE_HOST,
            reinterpret_cast<CUdeviceptr>(Copy.Staged->data()),
            nullptr,
            0,
            0,
            0,
            P.WidthInBytes,
            P.Height};
  for (size_t Z = 0; Z < P.Depth; ++Z)
    for (size_t Y = 0; Y < P.Height; ++Y)
      std::memmove(row(To, Y, Z), row(From, Y, Z), P.WidthInBytes);
}

CUresult checkSet(State &S, const SetOp &Set) {
  const CUDA_MEMSET_NODE_PARAMS &P = Set.Params;
  if (!P.width || !P.height || !Set.Depth)
    return CUDA_SUCCESS;
  if (P.elementSize != 1 && P.elementSize != 2 && P.elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  size_t Width = 0, Bytes = 0, Slices = 0;
  if (P.dst % P.elementSize || __builtin_mul_overflow(P.width, P.elementSize, &Width))
    return CUDA_ERROR_INVALID_VALUE;
  if (P.height > 1 && P.pitch < Width)
    return CUDA_ERROR_INVALID_VALUE;
  if (!multiplyAdd(P.height - 1, P.height > 1 ? P.pitch : 0, Width, Bytes) ||
      !multiplyAdd(Set.Depth - 1, Set.SlicePitch, Bytes, Slices))
    return CUDA_ERROR_INVALID_VALUE;
  return checkLinear(S, CU_MEMORYTYPE_DEVICE, P.dst, Slices);
}

CUresult set(CUcontext Context, const SetOp &Set, CUstream Handle, bool Wait) {
  State &S = state();
  {
    Lock L(S.M);
    if (CUresult R = checkSet(S, Set))
      return R;
  }
  if (!Set.Params.width || !Set.Params.height || !Set.Depth)
    return CUDA_SUCCESS;
  return enqueue(Context, Handle, Set, Wait);
}

void runSet(const SetOp &Set) {
  const CUDA_MEMSET_NODE_PARAMS &P = Set.Params;
  for (size_t Z = 0; Z < Set.Depth; ++Z)
    for (size_t Y = 0; Y < P.height; ++Y) {
      char *Row = reinterpret_cast<char *>(P.dst) + Z * Set.SlicePitch + Y * P.pitch;
      if (P.elementSize == 1)
        std::memset(Row, static_cast<int>(P.value), P.width);
      else if (P.elementSize == 2)
        std::fill_n(reinterpret_cast<uint16_t *>(Row), P.width, static_cast<uint16_t>(P.value));
      else
        std::fill_n(reinterpret_cast<uint32_t *>(Row), P.width, P.value);
    }
}

} // namespace gpuinstr::sim
