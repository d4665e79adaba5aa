// Allocation: limits, reuse, identity, attributes that Conformance.expected cannot hold.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

using namespace gpuinstr::sim::test;

TEST(Memory, OutOfMemoryAtTheLimit) {
  void *First = nullptr, *Second = nullptr;
  size_t Free = 0, Total = 0;
  expectOk(cudaDeviceReset()); // Whatever other tests of this process left behind.
  expectOk(cudaMemGetInfo(&Free, &Total));
  EXPECT_EQ(Total, DeviceBytes);
  EXPECT_EQ(Free, DeviceBytes);
  expectOk(cudaMalloc(&First, DeviceBytes - 4096));
  EXPECT_EQ(cudaMalloc(&Second, 8192), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expectOk(cudaMalloc(&Second, 4096));
  expectOk(cudaMemGetInfo(&Free, &Total));
  EXPECT_EQ(Free, 0u);
  expectOk(cudaFree(First));
  expectOk(cudaFree(Second));
  expectOk(cudaMalloc(&First, DeviceBytes));
  expectOk(cudaFree(First));
}

TEST(Memory, LimitCountsEveryKindOfDeviceMemory) {
  size_t Free = 0, Total = 0;
  expectOk(cudaDeviceReset());
  auto Left = [&] {
    expectOk(cudaMemGetInfo(&Free, &Total));
    return Free;
  };
  cudaArray_t Array = nullptr;
  cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  expectOk(cudaMallocArray(&Array, &Float, 1024, 1024, 0));
  EXPECT_EQ(Left(), DeviceBytes - (size_t(4) << 20));
  void *Async = nullptr;
  expectOk(cudaMallocAsync(&Async, size_t(2) << 20, nullptr));
  EXPECT_EQ(Left(), DeviceBytes - (size_t(6) << 20));
  CUmemAllocationProp Props = {};
  Props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle Handle = 0;
  EXPECT_EQ(cuMemCreate(&Handle, size_t(2) << 20, &Props, 0), CUDA_SUCCESS);
  EXPECT_EQ(Left(), DeviceBytes - (size_t(8) << 20));
  EXPECT_EQ(cuMemRelease(Handle), CUDA_SUCCESS);
  expectOk(cudaFreeAsync(Async, nullptr));
  expectOk(cudaFreeArray(Array));
  EXPECT_EQ(Left(), DeviceBytes);
  // Host and managed memory are not the device's.
  void *Host = nullptr, *Managed = nullptr;
  expectOk(cudaMallocHost(&Host, size_t(2) << 20));
  expectOk(cudaMallocManaged(&Managed, size_t(2) << 20, cudaMemAttachGlobal));
  EXPECT_EQ(Left(), DeviceBytes);
  expectOk(cudaFreeHost(Host));
  expectOk(cudaFree(Managed));
}

TEST(Memory, AddressesComeBackWithNewIdentity) {
  startDriver();
  void *First = nullptr, *Second = nullptr;
  unsigned long long FirstId = 0, SecondId = 0;
  auto Identify = [](void *P, unsigned long long &Id) {
    EXPECT_EQ(cuPointerGetAttribute(&Id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                    reinterpret_cast<CUdeviceptr>(P)),
              CUDA_SUCCESS);
  };
  expectOk(cudaMalloc(&First, 1000));
  Identify(First, FirstId);
  expectOk(cudaFree(First));
  expectOk(cudaMalloc(&Second, 1000));
  Identify(Second, SecondId);
  EXPECT_EQ(First, Second);
  EXPECT_NE(FirstId, SecondId);
  expectOk(cudaFree(Second));
}

TEST(Memory, UnifiedPointersWorkOnTheHost) {
  int *Managed = nullptr, *Pinned = nullptr;
  expectOk(
      cudaMallocManaged(reinterpret_cast<void **>(&Managed), 4 * sizeof(int), cudaMemAttachGlobal));
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&Pinned), 4 * sizeof(int)));
  Managed[3] = 42;
  expectOk(cudaMemcpy(Pinned, Managed, 4 * sizeof(int), cudaMemcpyDefault));
  EXPECT_EQ(Pinned[3], 42);
  expectOk(cudaMemset(Managed, 0, 4 * sizeof(int)));
  EXPECT_EQ(Managed[3], 0);
  expectOk(cudaFree(Managed));
  expectOk(cudaFreeHost(Pinned));
}

TEST(Memory, ResetFreesAndRevives) {
  void *P = nullptr;
  cudaStream_t Stream = nullptr;
  expectOk(cudaMalloc(&P, 4096));
  expectOk(cudaStreamCreate(&Stream));
  expectOk(cudaDeviceReset());
  EXPECT_EQ(cudaFree(P), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSynchronize(Stream), cudaErrorInvalidResourceHandle);
  size_t Free = 0, Total = 0;
  expectOk(cudaMemGetInfo(&Free, &Total));
  EXPECT_EQ(Free, Total);
}

TEST(Memory, MappedRangesSideBySide) {
  startDriver();
  constexpr size_t Piece = size_t(2) << 20;
  CUmemAllocationProp Props = {};
  Props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t Granularity = 0;
  EXPECT_EQ(cuMemGetAllocationGranularity(&Granularity, &Props, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  ASSERT_EQ(Piece % Granularity, 0u);
  CUdeviceptr Range = 0;
  ASSERT_EQ(cuMemAddressReserve(&Range, 2 * Piece, 0, 0, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle Handles[2] = {};
  for (int I = 0; I < 2; ++I) {
    ASSERT_EQ(cuMemCreate(&Handles[I], Piece, &Props, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(Range + I * Piece, Piece, 0, Handles[I], 0), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemMap(Range, Piece, 0, Handles[0], 0), CUDA_ERROR_INVALID_VALUE);
  CUmemAccessDesc Access = {Props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(cuMemSetAccess(Range, 2 * Piece, &Access, 1), CUDA_SUCCESS);
  // A set across the seam, and one past the end.
  EXPECT_EQ(cuMemsetD8(Range + Piece - 8, 7, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(Range + Piece, 7, Piece + 1), CUDA_ERROR_INVALID_VALUE);
  unsigned char Back[16] = {};
  EXPECT_EQ(cuMemcpyDtoH(Back, Range + Piece - 8, 16), CUDA_SUCCESS);
  EXPECT_EQ(Back[0], 7);
  EXPECT_EQ(Back[15], 7);
  EXPECT_EQ(cuMemAddressFree(Range, 2 * Piece), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(Range, 2 * Piece), CUDA_SUCCESS);
  for (auto Handle : Handles)
    EXPECT_EQ(cuMemRelease(Handle), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(Handles[0]), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(Range, 2 * Piece), CUDA_SUCCESS);
}

TEST(Memory, ManyThreadsAllocateAndFree) {
  std::vector<std::thread> Threads;
  std::atomic<int> Failures{0};
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([&, T] {
      for (int I = 0; I < 500; ++I) {
        void *P = nullptr;
        size_t Bytes = 64 + static_cast<size_t>((I * 7919 + T) % 20000);
        std::vector<char> Host(Bytes, static_cast<char>(T)), Back(Bytes);
        Failures += cudaMalloc(&P, Bytes) != cudaSuccess;
        Failures += cudaMemcpy(P, Host.data(), Bytes, cudaMemcpyHostToDevice) != cudaSuccess;
        Failures += cudaMemcpy(Back.data(), P, Bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
        Failures += Back != Host;
        Failures += cudaFree(P) != cudaSuccess;
      }
    });
  for (auto &T : Threads)
    T.join();
  EXPECT_EQ(Failures, 0);
}

TEST(Memory, PeersOfTwoDevices) {
  void *Far = nullptr;
  OnDevice<int> Near({1, 2, 3});
  int Can = 0;
  expectOk(cudaDeviceCanAccessPeer(&Can, 0, 1));
  EXPECT_EQ(Can, 1);
  expectOk(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessAlreadyEnabled);
  expectOk(cudaSetDevice(1));
  expectOk(cudaMalloc(&Far, 12));
  cudaPointerAttributes Attributes;
  expectOk(cudaPointerGetAttributes(&Attributes, Far));
  EXPECT_EQ(Attributes.device, 1);
  expectOk(cudaMemcpyPeer(Far, 1, Near.get(), 0, 12));
  int Back[3] = {};
  expectOk(cudaMemcpy(Back, Far, 12, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Back[2], 3);
  expectOk(cudaFree(Far));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  expectOk(cudaSetDevice(0));
  expectOk(cudaDeviceDisablePeerAccess(1));
}
