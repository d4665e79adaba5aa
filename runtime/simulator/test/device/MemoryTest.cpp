// Allocation: limits, reuse, identity, attributes that Conformance.expected cannot hold.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace gpuinstr::sim::test;

TEST(Memory, OutOfMemoryAtTheLimit) {
  void *first = nullptr, *second = nullptr;
  size_t free = 0, total = 0;
  expectOk(cudaDeviceReset()); // Whatever other tests of this process left behind.
  expectOk(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(total, DeviceBytes);
  EXPECT_EQ(free, DeviceBytes);
  expectOk(cudaMalloc(&first, DeviceBytes - 4096));
  EXPECT_EQ(cudaMalloc(&second, 8192), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expectOk(cudaMalloc(&second, 4096));
  expectOk(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, 0u);
  expectOk(cudaFree(first));
  expectOk(cudaFree(second));
  expectOk(cudaMalloc(&first, DeviceBytes));
  expectOk(cudaFree(first));
}

TEST(Memory, LimitCountsEveryKindOfDeviceMemory) {
  size_t free = 0, total = 0;
  expectOk(cudaDeviceReset());
  auto left = [&] {
    expectOk(cudaMemGetInfo(&free, &total));
    return free;
  };
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  expectOk(cudaMallocArray(&array, &format, 1024, 1024, 0));
  EXPECT_EQ(left(), DeviceBytes - (size_t(4) << 20));
  void *async = nullptr;
  expectOk(cudaMallocAsync(&async, size_t(2) << 20, nullptr));
  EXPECT_EQ(left(), DeviceBytes - (size_t(6) << 20));
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, size_t(2) << 20, &props, 0), CUDA_SUCCESS);
  EXPECT_EQ(left(), DeviceBytes - (size_t(8) << 20));
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  expectOk(cudaFreeAsync(async, nullptr));
  expectOk(cudaFreeArray(array));
  EXPECT_EQ(left(), DeviceBytes);
  // Host and managed memory are not the device's.
  void *host = nullptr, *managed = nullptr;
  expectOk(cudaMallocHost(&host, size_t(2) << 20));
  expectOk(cudaMallocManaged(&managed, size_t(2) << 20, cudaMemAttachGlobal));
  EXPECT_EQ(left(), DeviceBytes);
  expectOk(cudaFreeHost(host));
  expectOk(cudaFree(managed));
}

TEST(Memory, AddressesComeBackWithNewIdentity) {
  startDriver();
  void *first = nullptr, *second = nullptr;
  unsigned long long firstId = 0, secondId = 0;
  auto identify = [](void *p, unsigned long long &id) {
    EXPECT_EQ(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                    reinterpret_cast<CUdeviceptr>(p)),
              CUDA_SUCCESS);
  };
  expectOk(cudaMalloc(&first, 1000));
  identify(first, firstId);
  expectOk(cudaFree(first));
  expectOk(cudaMalloc(&second, 1000));
  identify(second, secondId);
  EXPECT_EQ(first, second);
  EXPECT_NE(firstId, secondId);
  expectOk(cudaFree(second));
}

TEST(Memory, UnifiedPointersWorkOnTheHost) {
  int *managed = nullptr, *pinned = nullptr;
  expectOk(
      cudaMallocManaged(reinterpret_cast<void **>(&managed), 4 * sizeof(int), cudaMemAttachGlobal));
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&pinned), 4 * sizeof(int)));
  managed[3] = 42;
  expectOk(cudaMemcpy(pinned, managed, 4 * sizeof(int), cudaMemcpyDefault));
  EXPECT_EQ(pinned[3], 42);
  expectOk(cudaMemset(managed, 0, 4 * sizeof(int)));
  EXPECT_EQ(managed[3], 0);
  expectOk(cudaFree(managed));
  expectOk(cudaFreeHost(pinned));
}

TEST(Memory, ResetFreesAndRevives) {
  void *p = nullptr;
  cudaStream_t stream = nullptr;
  expectOk(cudaMalloc(&p, 4096));
  expectOk(cudaStreamCreate(&stream));
  expectOk(cudaDeviceReset());
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  size_t free = 0, total = 0;
  expectOk(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, total);
}

TEST(Memory, MappedRangesSideBySide) {
  startDriver();
  constexpr size_t Piece = size_t(2) << 20;
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t granularity = 0;
  EXPECT_EQ(cuMemGetAllocationGranularity(&granularity, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  ASSERT_EQ(Piece % granularity, 0u);
  CUdeviceptr range = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 2 * Piece, 0, 0, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle handles[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cuMemCreate(&handles[i], Piece, &props, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(range + i * Piece, Piece, 0, handles[i], 0), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemMap(range, Piece, 0, handles[0], 0), CUDA_ERROR_INVALID_VALUE);
  CUmemAccessDesc access = {props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(cuMemSetAccess(range, 2 * Piece, &access, 1), CUDA_SUCCESS);
  // A set across the seam, and one past the end.
  EXPECT_EQ(cuMemsetD8(range + Piece - 8, 7, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(range + Piece, 7, Piece + 1), CUDA_ERROR_INVALID_VALUE);
  unsigned char back[16] = {};
  EXPECT_EQ(cuMemcpyDtoH(back, range + Piece - 8, 16), CUDA_SUCCESS);
  EXPECT_EQ(back[0], 7);
  EXPECT_EQ(back[15], 7);
  EXPECT_EQ(cuMemAddressFree(range, 2 * Piece), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(range, 2 * Piece), CUDA_SUCCESS);
  for (auto handle : handles)
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handles[0]), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(range, 2 * Piece), CUDA_SUCCESS);
}

TEST(Memory, ManyThreadsAllocateAndFree) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        void *p = nullptr;
        size_t bytes = 64 + static_cast<size_t>((i * 7919 + t) % 20000);
        std::vector<char> host(bytes, static_cast<char>(t)), back(bytes);
        failures += cudaMalloc(&p, bytes) != cudaSuccess;
        failures += cudaMemcpy(p, host.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess;
        failures += cudaMemcpy(back.data(), p, bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
        failures += back != host;
        failures += cudaFree(p) != cudaSuccess;
      }
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(failures, 0);
}

TEST(Memory, PeersOfTwoDevices) {
  void *far = nullptr;
  OnDevice<int> near({1, 2, 3});
  int can = 0;
  expectOk(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  expectOk(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessAlreadyEnabled);
  expectOk(cudaSetDevice(1));
  expectOk(cudaMalloc(&far, 12));
  cudaPointerAttributes attributes;
  expectOk(cudaPointerGetAttributes(&attributes, far));
  EXPECT_EQ(attributes.device, 1);
  expectOk(cudaMemcpyPeer(far, 1, near.get(), 0, 12));
  int back[3] = {};
  expectOk(cudaMemcpy(back, far, 12, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back[2], 3);
  expectOk(cudaFree(far));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  expectOk(cudaSetDevice(0));
  expectOk(cudaDeviceDisablePeerAccess(1));
}

TEST(Memory, CopiesBetweenDevicesComeBehindTheWorkOfBoth) {
  void *far = nullptr;
  std::atomic<bool> isDone = false;
  OnDevice<int> near({1, 2, 3});
  expectOk(cudaSetDevice(1));
  expectOk(cudaMalloc(&far, 12));
  expectOk(cudaLaunchHostFunc(
      nullptr,
      [](void *done) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        *static_cast<std::atomic<bool> *>(done) = true;
      },
      &isDone));
  expectOk(cudaMemsetAsync(far, 0, 12));
  expectOk(cudaSetDevice(0));
  expectOk(cudaMemcpyPeer(far, 1, near.get(), 0, 12));
  EXPECT_TRUE(isDone);
  int back[3] = {};
  expectOk(cudaSetDevice(1));
  expectOk(cudaMemcpy(back, far, 12, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back[2], 3);
  expectOk(cudaFree(far));
  expectOk(cudaSetDevice(0));
}
