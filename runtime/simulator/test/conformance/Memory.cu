// Allocation, release, copies and sets.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <cstdlib>
#include <cstring>

void probeMemory() {
  section("allocation");
  void *P = (void *)1;
  size_t Pitch = 0;
  ASK(cudaMalloc(&P, 0));
  SHOW(P == nullptr);
  ASK(cudaMalloc(nullptr, 16));
  ASK(cudaMallocHost(&P, 0));
  SHOW(P == nullptr);
  ASK(cudaHostAlloc(&P, 0, 0));
  ASK(cudaHostAlloc(&P, 16, 1u << 20));
  ASK(cudaMallocManaged(&P, 0));
  ASK(cudaMallocManaged(&P, 16, 77));
  P = (void *)1;
  ASK(cudaMallocAsync(&P, 0, 0));
  SHOW(P == nullptr);
  ASK(cudaMallocPitch(&P, &Pitch, 0, 4));
  ASK(cudaMallocPitch(&P, &Pitch, 100, 4));
  SHOW(Pitch);
  ASK(cudaFree(P));
  ASK(cudaMalloc(&P, size_t(1) << 45));
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
  ASK(cudaMalloc(&P, ~size_t(0)));
  ASK(cudaMallocManaged(&P, size_t(1) << 50));
  ASK(cudaMallocPitch(&P, &Pitch, size_t(1) << 40, size_t(1) << 40));
  ASK(cudaMalloc3D(nullptr, cudaExtent{1, 1, 1}));
  cudaArray_t Array = nullptr;
  cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaChannelFormatDesc Odd = {31, 0, 0, 0, cudaChannelFormatKindFloat};
  ASK(cudaMallocArray(&Array, &Float, 0, 0));
  ASK(cudaMallocArray(&Array, &Odd, 16, 16));
  ASK(cudaMallocArray(&Array, &Float, size_t(1) << 30, 16));
  ASK(cudaFreeArray(nullptr));
  ASK(cudaFreeMipmappedArray(nullptr));
  cudaGetLastError();

  section("release");
  ASK(cudaFree(nullptr));
  ASK(cudaFreeHost(nullptr));
  ASK(cudaMalloc(&P, 4096));
  ASK(cudaFree((char *)P + 16));
  ASK(cudaFreeHost(P));
  ASK(cudaFree(P));
  ASK(cudaFree(P));
  int OnStack = 0;
  ASK(cudaFree(&OnStack));
  ASK(cudaFreeHost(&OnStack));
  ASK(cudaHostUnregister(&OnStack));
  ASK(cudaHostAlloc(&P, 4096, 0));
  ASK(cudaFree(P));
  ASK(cudaHostUnregister(P));
  ASK(cudaFreeHost((char *)P + 16));
  ASK(cudaFreeHost(P));
  ASK(cudaFreeHost(P));
  ASK(cudaMallocManaged(&P, 4096));
  ASK(cudaFreeHost(P));
  ASK(cudaFree(P));
  ASK(cudaFree(P));
  ASK(cudaMalloc(&P, 4096));
  ASK(cudaFreeAsync(P, 0));
  ASK(cudaDeviceSynchronize());
  ASK(cudaFree(P));
  ASK(cudaMallocAsync(&P, 4096, 0));
  ASK(cudaFree(P));
  ASK(cudaFreeAsync(P, 0));
  ASK(cudaFreeAsync(nullptr, 0));

  section("registration");
  void *Host = nullptr;
  if (posix_memalign(&Host, 4096, 16384))
    return;
  std::memset(Host, 0, 16384);
  ASK(cudaHostRegister(Host, 8192, 0));
  ASK(cudaHostRegister(Host, 8192, 0));
  ASK(cudaHostRegister((char *)Host + 4096, 8192, 0));
  ASK(cudaHostRegister((char *)Host + 8192, 4096, 1u << 20));
  unsigned Flags = 0;
  ASK(cudaHostGetFlags(&Flags, Host));
  SHOW(Flags);
  ASK(cudaHostGetDevicePointer(&P, Host, 0));
  SHOW(P == Host);
  ASK(cudaHostGetDevicePointer(&P, (char *)Host + 100, 0));
  ASK(cudaHostGetDevicePointer(&P, &OnStack, 0));
  ASK(cudaHostUnregister((char *)Host + 4096));
  ASK(cudaHostUnregister(Host));
  ASK(cudaHostUnregister(Host));
  ASK(cudaHostRegister(nullptr, 8192, 0));
  ASK(cudaHostRegister(Host, 0, 0));
  free(Host);
  cudaGetLastError();
}

__device__ int DeviceValue[4];
__constant__ float ConstantValue[2];

static void probeSymbols() {
  section("symbols");
  size_t Size = 0;
  void *P = nullptr;
  int Host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASK(cudaGetSymbolSize(&Size, DeviceValue));
  SHOW(Size);
  ASK(cudaGetSymbolAddress(&P, DeviceValue));
  ASK(cudaMemcpyToSymbol(DeviceValue, Host, 16));
  ASK(cudaMemcpyToSymbol(DeviceValue, Host, 17));
  ASK(cudaMemcpyToSymbol(DeviceValue, Host, 8, 12));
  ASK(cudaMemcpyToSymbol(DeviceValue, Host, 16, 0, cudaMemcpyDeviceToHost));
  int Back[4] = {};
  ASK(cudaMemcpyFromSymbol(Back, DeviceValue, 8, 8));
  SHOW(Back[0] * 10 + Back[1]);
  ASK(cudaMemcpyFromSymbol(Back, DeviceValue, 8, 8, cudaMemcpyHostToDevice));
  ASK(cudaGetSymbolAddress(&P, (const void *)&Size));
  ASK(cudaGetSymbolSize(&Size, ConstantValue));
  ASK(cudaMemcpyToSymbol((const void *)&Size, Host, 4));
  ASK(cudaFree(P));
  cudaGetLastError();
}

static void probeArrays() {
  section("arrays");
  cudaArray_t Array = nullptr;
  cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  float Host[64] = {1, 2, 3};
  ASK(cudaMallocArray(&Array, &Float, 8, 8));
  ASK(cudaMemcpy2DToArray(Array, 0, 0, Host, 32, 32, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2DToArray(Array, 0, 0, Host, 32, 36, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2DToArray(Array, 4, 0, Host, 32, 32, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2DToArray(Array, 0, 1, Host, 32, 32, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2DToArray(Array, 0, 0, Host, 16, 32, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2DFromArray(Host, 32, Array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms Copy = {};
  ASK(cudaMemcpy3D(&Copy));
  Copy.srcPtr = make_cudaPitchedPtr(Host, 32, 8, 8);
  Copy.dstArray = Array;
  Copy.kind = cudaMemcpyHostToDevice;
  Copy.extent = make_cudaExtent(8, 8, 1);
  ASK(cudaMemcpy3D(&Copy));
  Copy.extent = make_cudaExtent(9, 8, 1);
  ASK(cudaMemcpy3D(&Copy));
  Copy.extent = make_cudaExtent(8, 8, 0);
  ASK(cudaMemcpy3D(&Copy));
  cudaExtent Extent = {};
  unsigned Flags = 9;
  ASK(cudaArrayGetInfo(nullptr, &Extent, &Flags, Array));
  SHOW(Extent.width * 100 + Extent.height * 10 + Extent.depth);
  SHOW(Flags);
  ASK(cudaFreeArray(Array));
  cudaGetLastError();
}

static void probeSets(char *Dev) {
  section("sets");
  char Host[64] = {};
  ASK(cudaMemset(Dev, 1, 4096));
  ASK(cudaMemset(Dev, 1, 0));
  ASK(cudaMemset(Dev, 1, size_t(1) << 40));
  ASK(cudaMemset(Host, 1, 16));
  ASK(cudaMemset(nullptr, 1, 16));
  ASK(cudaMemset2D(Dev, 64, 1, 64, 16));
  ASK(cudaMemset2D(Dev, 32, 1, 64, 16));
  ASK(cudaMemset2D(Dev, 64, 1, 64, size_t(1) << 40));
  ASK(cudaMemset3D(make_cudaPitchedPtr(Dev, 64, 64, 4), 1, make_cudaExtent(64, 4, 16)));
  ASK(cudaMemset3D(make_cudaPitchedPtr(Dev, 64, 64, 4), 1, make_cudaExtent(64, 4, 1 << 30)));
  cudaGetLastError();
}

void probeCopies() {
  section("copies");
  static char Host[8192], Other[8192];
  char *Dev = nullptr, *Gone = nullptr, *Small = nullptr, *Pinned = nullptr;
  ASK(cudaMalloc(&Dev, 4096));
  ASK(cudaMalloc(&Small, 100));
  ASK(cudaMalloc(&Gone, size_t(64) << 20));
  ASK(cudaFree(Gone));
  ASK(cudaHostAlloc(&Pinned, 4096, 0));
  ASK(cudaMemcpy(Dev, Host, 4096, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Host, 0, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(nullptr, Host, 0, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Host, 16, (cudaMemcpyKind)7));
  ASK(cudaMemcpy(Dev, Host, 16, (cudaMemcpyKind)-1));
  ASK(cudaMemcpy(Other, Host, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Dev + 16, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Other, Host, 16, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(Dev, Host, 16, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(Dev, Host, 16, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Other, Host, 16, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Other, Host, 16, cudaMemcpyHostToHost));
  ASK(cudaMemcpy(Other, Host, 16, cudaMemcpyDefault));
  ASK(cudaMemcpy(Dev, Host, 16, cudaMemcpyDefault));
  ASK(cudaMemcpy(Pinned, Host, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Pinned, Dev, 16, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(Pinned, Dev, 16, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Small, Host, 101, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Host, 4097, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Host, size_t(1) << 40, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Host, Dev, ~size_t(0), cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Gone, Host, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Host, Gone, 16, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(nullptr, Host, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpyAsync(Gone, Host, 16, cudaMemcpyHostToDevice, 0));
  ASK(cudaMemcpyAsync(Dev, Host, 16, (cudaMemcpyKind)9, 0));
  ASK(cudaMemcpy(Dev + 64, Dev, 16, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Small, Dev, 101, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(Dev, Pinned, 4097, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Pinned, Pinned + 4000, 97, cudaMemcpyHostToHost));
  char *Page = Host + 4096 - ((size_t)Host & 4095);
  ASK(cudaHostRegister(Page, 100, 0));
  ASK(cudaMemcpy(Dev, Page, 100, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Page, 200, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(Dev, Page - 50, 100, cudaMemcpyHostToDevice));
  ASK(cudaMemcpyAsync(Dev, Page, 200, cudaMemcpyHostToDevice, 0));
  ASK(cudaHostUnregister(Page));
  ASK(cudaMemcpyPeer(Dev, 0, Small, 0, 16));
  ASK(cudaMemcpyPeer(Dev, 0, Small, 99, 16));
  ASK(cudaMemcpy2D(Dev, 64, Host, 64, 64, 64, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(Dev, 32, Host, 64, 64, 4, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(Dev, 64, Host, 32, 64, 4, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(Dev, 64, Host, 64, 64, size_t(1) << 40, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(Dev, 64, Host, 64, 0, 4, cudaMemcpyHostToDevice));
  ASK(cudaPeekAtLastError());
  cudaGetLastError();
  probeSets(Dev);
  cudaFree(Dev);
  cudaFree(Small);
  cudaFreeHost(Pinned);
  probeSymbols();
  probeArrays();
}
