// What is known about addresses; memory pools.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <cstdlib>
#include <cstring>

static void describe(const char *What, void *P) {
  section(What);
  cudaPointerAttributes A = {};
  ASK(cudaPointerGetAttributes(&A, P));
  SHOW(A.type);
  SHOW(A.device);
  SHOW(A.devicePointer == P);
  SHOW(A.devicePointer == nullptr);
  SHOW(A.hostPointer == P);
  SHOW(A.hostPointer == nullptr);
  CUdeviceptr D = (CUdeviceptr)P, Base = 0;
  size_t Size = 0;
  ASK_DRIVER(cuMemGetAddressRange(&Base, &Size, D));
  SHOW(Base == D);
  SHOW(Size);
  CUcontext Context = (CUcontext)1;
  ASK_DRIVER(cuPointerGetAttribute(&Context, CU_POINTER_ATTRIBUTE_CONTEXT, D));
  SHOW(Context == nullptr);
  unsigned Type = 99, Managed = 99, Mapped = 99;
  ASK_DRIVER(cuPointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, D));
  SHOW(Type);
  ASK_DRIVER(cuPointerGetAttribute(&Managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, D));
  SHOW(Managed);
  ASK_DRIVER(cuPointerGetAttribute(&Mapped, CU_POINTER_ATTRIBUTE_MAPPED, D));
  SHOW(Mapped);
  unsigned long long Id = 0;
  ASK_DRIVER(cuPointerGetAttribute(&Id, CU_POINTER_ATTRIBUTE_BUFFER_ID, D));
  SHOW(Id != 0);
  int Ordinal = 99;
  ASK_DRIVER(cuPointerGetAttribute(&Ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, D));
  SHOW(Ordinal);
  void *Start = nullptr;
  size_t Range = 0;
  ASK_DRIVER(cuPointerGetAttribute(&Start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, D));
  ASK_DRIVER(cuPointerGetAttribute(&Range, CU_POINTER_ATTRIBUTE_RANGE_SIZE, D));
  SHOW(Start == P);
  SHOW(Range);
  CUmemoryPool Pool = nullptr;
  ASK_DRIVER(cuPointerGetAttribute(&Pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, D));
  SHOW(Pool != nullptr);
  CUdeviceptr Dev = 1;
  ASK_DRIVER(cuPointerGetAttribute(&Dev, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, D));
  void *Host = nullptr;
  ASK_DRIVER(cuPointerGetAttribute(&Host, CU_POINTER_ATTRIBUTE_HOST_POINTER, D));
  CUpointer_attribute Attrs[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *Out[] = {&Type, &Ordinal, &Range};
  ASK_DRIVER(cuPointerGetAttributes(3, Attrs, Out, D));
  SHOW(Type);
  SHOW(Ordinal);
  SHOW(Range);
}

void probePointers() {
  void *P = nullptr;
  cudaMalloc(&P, 100);
  describe("pointer of cudaMalloc(100)", P);
  section("interior pointer");
  cudaPointerAttributes A = {};
  ASK(cudaPointerGetAttributes(&A, (char *)P + 50));
  SHOW(A.devicePointer == (char *)P + 50);
  CUdeviceptr Base = 0;
  ASK_DRIVER(cuMemGetAddressRange(&Base, nullptr, (CUdeviceptr)P + 50));
  SHOW(Base == (CUdeviceptr)P);
  ASK_DRIVER(cuMemGetAddressRange(&Base, nullptr, (CUdeviceptr)P + 99));
  cudaFree(P);
  cudaMalloc(&P, size_t(64) << 20);
  cudaFree(P);
  describe("freed pointer", P);
  cudaMallocManaged(&P, 100);
  describe("pointer of cudaMallocManaged(100)", P);
  cudaFree(P);
  cudaHostAlloc(&P, 100, 0);
  describe("pointer of cudaHostAlloc(100)", P);
  cudaFreeHost(P);
  cudaMallocAsync(&P, 100, 0);
  describe("pointer of cudaMallocAsync(100)", P);
  cudaFreeAsync(P, 0);
  cudaDeviceSynchronize();
  if (posix_memalign(&P, 4096, 4096))
    return;
  describe("plain host memory", P);
  cudaHostRegister(P, 4096, 0);
  describe("registered host memory", P);
  cudaHostUnregister(P);
  free(P);
  section("managed memory");
  cudaMallocManaged(&P, 8192);
  cudaMemLocation Device = {cudaMemLocationTypeDevice, 0}, Host = {cudaMemLocationTypeHost, 0},
                  Wrong = {cudaMemLocationTypeDevice, 77};
  ASK(cudaMemAdvise(P, 8192, cudaMemAdviseSetPreferredLocation, Device));
  ASK(cudaMemAdvise(P, 8192, cudaMemAdviseSetPreferredLocation, Wrong));
  ASK(cudaMemAdvise(P, 1 << 24, cudaMemAdviseSetReadMostly, Device));
  ASK(cudaMemPrefetchAsync(P, 8192, Device, 0, 0));
  ASK(cudaMemPrefetchAsync(P, 8192, Host, 0, 0));
  ASK(cudaMemPrefetchAsync(P, 8192, Wrong, 0, 0));
  ASK(cudaMemPrefetchAsync(&P, 8, Device, 0, 0));
  int Where = 99;
  ASK(cudaMemRangeGetAttribute(&Where, 4, cudaMemRangeAttributePreferredLocation, P, 8192));
  SHOW(Where);
  ASK(cudaMemRangeGetAttribute(&Where, 4, cudaMemRangeAttributeReadMostly, P, 8192));
  SHOW(Where);
  ASK(cudaMemRangeGetAttribute(&Where, 4, cudaMemRangeAttributeLastPrefetchLocation, P, 8192));
  SHOW(Where);
  cudaDeviceSynchronize();
  cudaFree(P);
  cudaGetLastError();
}

static void showPool(cudaMemPool_t Pool) {
  unsigned long long Used = 9, High = 9, Reserved = 9;
  cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrUsedMemCurrent, &Used);
  cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrUsedMemHigh, &High);
  cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrReservedMemCurrent, &Reserved);
  SHOW(Used);
  SHOW(High);
  SHOW(Reserved);
}

void probePools() {
  section("pools");
  cudaMemPool_t Default = nullptr, Own = nullptr, Current = nullptr;
  ASK(cudaDeviceGetDefaultMemPool(&Default, 0));
  ASK(cudaDeviceGetMemPool(&Current, 0));
  SHOW(Default == Current);
  ASK(cudaDeviceGetDefaultMemPool(&Own, 99));
  ASK(cudaMemPoolDestroy(Default));
  cudaMemPoolProps Props = {};
  ASK(cudaMemPoolCreate(&Own, &Props));
  Props.allocType = cudaMemAllocationTypePinned;
  Props.location = {cudaMemLocationTypeDevice, 0};
  ASK(cudaMemPoolCreate(&Own, &Props));
  showPool(Own);
  unsigned long long Threshold = 9;
  ASK(cudaMemPoolGetAttribute(Own, cudaMemPoolAttrReleaseThreshold, &Threshold));
  SHOW(Threshold);
  void *P = nullptr;
  ASK(cudaMallocFromPoolAsync(&P, 1000, Own, 0));
  showPool(Own);
  ASK(cudaFreeAsync(P, 0));
  ASK(cudaDeviceSynchronize());
  showPool(Own);
  int Reuse = 9;
  ASK(cudaMemPoolGetAttribute(Own, cudaMemPoolReuseFollowEventDependencies, &Reuse));
  SHOW(Reuse);
  Threshold = 0;
  ASK(cudaMemPoolSetAttribute(Own, cudaMemPoolAttrUsedMemHigh, &Threshold));
  showPool(Own);
  Threshold = 7;
  ASK(cudaMemPoolSetAttribute(Own, cudaMemPoolAttrUsedMemHigh, &Threshold));
  ASK(cudaMemPoolTrimTo(Own, 0));
  cudaMemAccessFlags Flags = (cudaMemAccessFlags)9;
  ASK(cudaMemPoolGetAccess(&Flags, Own, &Props.location));
  SHOW(Flags);
  ASK(cudaDeviceSetMemPool(0, Own));
  ASK(cudaMallocAsync(&P, 1000, 0));
  ASK(cudaFreeAsync(P, 0));
  ASK(cudaStreamSynchronize(0));
  ASK(cudaMemPoolDestroy(Own));
  ASK(cudaDeviceGetMemPool(&Current, 0));
  SHOW(Default == Current);
  ASK(cudaMallocFromPoolAsync(&P, 1000, nullptr, 0));
  cudaGetLastError();
}
