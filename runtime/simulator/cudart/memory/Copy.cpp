// One- and two-dimensional copies of linear memory, and copies to and from symbols.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"

#include "cudart/kernel/Registry.h"

using namespace gpuinstr::sim;

bool gpuinstr::sim::memoryTypes(cudaMemcpyKind Kind, CUmemorytype &Dst, CUmemorytype &Src) {
  constexpr CUmemorytype Host = CU_MEMORYTYPE_HOST, Device = CU_MEMORYTYPE_DEVICE;
  switch (Kind) {
  case cudaMemcpyHostToHost:
    Dst = Src = Host;
    return true;
  case cudaMemcpyHostToDevice:
    Dst = Device;
    Src = Host;
    return true;
  case cudaMemcpyDeviceToHost:
    Dst = Host;
    Src = Device;
    return true;
  case cudaMemcpyDeviceToDevice:
    Dst = Src = Device;
    return true;
  case cudaMemcpyDefault:
    Dst = Src = CU_MEMORYTYPE_UNIFIED;
    return true;
  }
  return false;
}

cudaError_t gpuinstr::sim::copyLinear(CUcontext C, void *Dst, const void *Src, size_t Bytes,
                                      cudaMemcpyKind Kind, cudaStream_t Stream, bool Wait) {
  CUmemorytype To, From;
  if (!memoryTypes(Kind, To, From))
    return cudaErrorInvalidMemcpyDirection;
  return toError(copy(C, linearCopy(To, Dst, From, Src, Bytes), Stream, Wait));
}

namespace {

cudaError_t copy2D(CUcontext C, void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,
                   size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Stream,
                   bool Wait) {
  CUmemorytype To, From;
  if (!memoryTypes(Kind, To, From))
    return cudaErrorInvalidMemcpyDirection;
  if (DstPitch < Width || SrcPitch < Width)
    return cudaErrorInvalidPitchValue;
  CUDA_MEMCPY3D P = linearCopy(To, Dst, From, Src, Width);
  P.dstPitch = DstPitch;
  P.srcPitch = SrcPitch;
  P.Height = P.srcHeight = P.dstHeight = Height;
  return toError(copy(C, P, Stream, Wait));
}

/// The symbol's address when [Offset, Offset + Bytes) lies inside it.
cudaError_t symbolRange(CUcontext C, const void *Symbol, size_t Offset, size_t Bytes, char *&Out) {
  void *Address = nullptr;
  size_t Size = 0;
  if (cudaError_t E = symbolMemory(C, Symbol, &Address, &Size))
    return E;
  if (Offset > Size || Bytes > Size - Offset)
    return cudaErrorInvalidValue;
  Out = static_cast<char *>(Address) + Offset;
  return cudaSuccess;
}

cudaError_t toSymbol(CUcontext C, const void *Symbol, const void *Src, size_t Bytes, size_t Offset,
                     cudaMemcpyKind Kind, cudaStream_t Stream, bool Wait) {
  char *Dst = nullptr;
  if (Kind != cudaMemcpyHostToDevice && Kind != cudaMemcpyDeviceToDevice &&
      Kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (cudaError_t E = symbolRange(C, Symbol, Offset, Bytes, Dst))
    return E;
  return copyLinear(C, Dst, Src, Bytes, Kind, Stream, Wait);
}

cudaError_t fromSymbol(CUcontext C, void *Dst, const void *Symbol, size_t Bytes, size_t Offset,
                       cudaMemcpyKind Kind, cudaStream_t Stream, bool Wait) {
  char *Src = nullptr;
  if (Kind != cudaMemcpyDeviceToHost && Kind != cudaMemcpyDeviceToDevice &&
      Kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (cudaError_t E = symbolRange(C, Symbol, Offset, Bytes, Src))
    return E;
  return copyLinear(C, Dst, Src, Bytes, Kind, Stream, Wait);
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall(
      __func__, [&](CUcontext C) { return copyLinear(C, Dst, Src, Bytes, Kind, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind,
                                      cudaStream_t Stream) {
  return deviceCall(
      __func__, [&](CUcontext C) { return copyLinear(C, Dst, Src, Bytes, Kind, Stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpyPeer(void *Dst, int DstDevice, const void *Src, int SrcDevice,
                                     size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!isDevice(state(), DstDevice) || !isDevice(state(), SrcDevice))
      return cudaErrorInvalidDevice;
    return copyLinear(C, Dst, Src, Bytes, cudaMemcpyDeviceToDevice, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void *Dst, int DstDevice, const void *Src, int SrcDevice,
                                          size_t Bytes, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!isDevice(state(), DstDevice) || !isDevice(state(), SrcDevice))
      return cudaErrorInvalidDevice;
    return copyLinear(C, Dst, Src, Bytes, cudaMemcpyDeviceToDevice, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2D(void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,
                                   size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return copy2D(C, Dst, DstPitch, Src, SrcPitch, Width, Height, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *Dst, size_t DstPitch, const void *Src,
                                        size_t SrcPitch, size_t Width, size_t Height,
                                        cudaMemcpyKind Kind, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return copy2D(C, Dst, DstPitch, Src, SrcPitch, Width, Height, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void *Symbol, const void *Src, size_t Bytes,
                                         size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toSymbol(C, Symbol, Src, Bytes, Offset, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *Symbol, const void *Src, size_t Bytes,
                                              size_t Offset, cudaMemcpyKind Kind,
                                              cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toSymbol(C, Symbol, Src, Bytes, Offset, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void *Dst, const void *Symbol, size_t Bytes,
                                           size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromSymbol(C, Dst, Symbol, Bytes, Offset, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *Dst, const void *Symbol, size_t Bytes,
                                                size_t Offset, cudaMemcpyKind Kind,
                                                cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromSymbol(C, Dst, Symbol, Bytes, Offset, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaGetSymbolAddress(void **Out, const void *Symbol) {
  return deviceCall(__func__, [&](CUcontext C) {
    return Out ? symbolMemory(C, Symbol, Out, nullptr) : cudaErrorInvalidValue;
  });
}

cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *Out, const void *Symbol) {
  return deviceCall(__func__, [&](CUcontext C) {
    return Out ? symbolMemory(C, Symbol, nullptr, Out) : cudaErrorInvalidValue;
  });
}

} // extern "C"
