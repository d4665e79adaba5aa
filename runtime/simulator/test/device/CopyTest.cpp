// That copies and sets move the right bytes.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace gpuinstr::sim::test;

namespace {
std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}
} // namespace

TEST(Copy, EveryDirection) {
  auto values = numbers(1000);
  OnDevice<int> a(values), b(std::vector<int>(1000, 0));
  expectOk(cudaMemcpy(b.get() + 1, a.get(), 999 * 4, cudaMemcpyDeviceToDevice));
  auto back = b.read();
  EXPECT_EQ(back[0], 0);
  EXPECT_TRUE(std::equal(back.begin() + 1, back.end(), values.begin()));
}

TEST(Copy, WithinTheDeviceTheHostWaitsForNothing) {
  OnDevice<int> a(numbers(100)), b(std::vector<int>(100, 0));
  std::atomic<bool> go{false};
  auto wait = [](void *until) {
    while (!static_cast<std::atomic<bool> *>(until)->load())
      std::this_thread::yield();
  };
  expectOk(cudaLaunchHostFunc(nullptr, wait, &go));
  expectOk(cudaMemcpy(b.get(), a.get(), 400, cudaMemcpyDeviceToDevice));
  expectOk(cudaMemcpy(b.get(), a.get(), 396, cudaMemcpyDefault));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  go = true;
  EXPECT_EQ(b.read()[99], 100);
}

TEST(Copy, OverlappingRangesKeepTheirBytes) {
  OnDevice<int> a(numbers(100));
  expectOk(cudaMemcpy(a.get() + 10, a.get(), 90 * 4, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(a.read()[99], 90);
}

TEST(Copy, PitchedRows) {
  constexpr size_t Width = 100, Height = 7;
  void *pitched = nullptr;
  size_t pitch = 0;
  expectOk(cudaMallocPitch(&pitched, &pitch, Width, Height));
  EXPECT_EQ(pitch % 512, 0u);
  std::vector<char> host(Width * Height), back(Width * Height);
  std::iota(host.begin(), host.end(), 0);
  expectOk(cudaMemset2D(pitched, pitch, 9, Width, Height));
  expectOk(
      cudaMemcpy2D(pitched, pitch, host.data(), Width, Width, Height - 1, cudaMemcpyHostToDevice));
  expectOk(cudaMemcpy2D(back.data(), Width, pitched, pitch, Width, Height, cudaMemcpyDeviceToHost));
  EXPECT_TRUE(std::equal(host.begin(), host.end() - Width, back.begin()));
  EXPECT_EQ(back[Width * (Height - 1)], 9);
  // The last row needs its width only, not the whole pitch.
  size_t padding = pitch - Width;
  expectOk(cudaMemset2D(pitched, pitch, 1, pitch, Height));
  EXPECT_EQ(cudaMemset2D(static_cast<char *>(pitched) + 1, pitch, 1, Width + padding, Height),
            cudaErrorInvalidValue);
  expectOk(cudaFree(pitched));
}

TEST(Copy, VolumesAndArrays) {
  cudaExtent extent = {4, 3, 2};
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array = nullptr;
  expectOk(cudaMalloc3DArray(&array, &format, extent, 0));
  auto host = numbers(24);
  cudaMemcpy3DParms in = {};
  in.srcPtr = {host.data(), 16, 4, 3};
  in.dstArray = array;
  in.extent = extent;
  in.kind = cudaMemcpyHostToDevice;
  expectOk(cudaMemcpy3D(&in));
  cudaPitchedPtr volume = {};
  expectOk(cudaMalloc3D(&volume, {16, 3, 2}));
  expectOk(cudaMemset3D(volume, 0, {16, 3, 2}));
  cudaMemcpy3DParms part = {};
  part.srcArray = array;
  part.srcPos = {1, 1, 1};
  part.dstPtr = volume;
  part.extent = {3, 2, 1};
  part.kind = cudaMemcpyDeviceToDevice;
  expectOk(cudaMemcpy3D(&part));
  std::vector<int> back(24);
  cudaMemcpy3DParms out = {};
  out.srcPtr = volume;
  out.dstPtr = {back.data(), 16, 4, 3};
  out.extent = {16, 3, 2};
  out.kind = cudaMemcpyDeviceToHost;
  expectOk(cudaMemcpy3D(&out));
  EXPECT_EQ(std::vector<int>(back.begin(), back.begin() + 8),
            (std::vector<int>{18, 19, 20, 0, 22, 23, 24, 0}));
  // One element more leaves the array.
  part.extent = {4, 2, 1};
  EXPECT_EQ(cudaMemcpy3D(&part), cudaErrorInvalidValue);
  expectOk(cudaFreeArray(array));
  expectOk(cudaFree(volume.ptr));
}

TEST(Copy, LinearArrayCopiesWrapAtRowEnds) {
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array = nullptr;
  expectOk(cudaMallocArray(&array, &format, 4, 4, 0));
  auto host = numbers(10);
  std::vector<int> back(10);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  expectOk(cudaMemcpyToArray(array, 8, 0, host.data(), 40, cudaMemcpyHostToDevice));
  expectOk(cudaMemcpyFromArray(back.data(), array, 8, 0, 40, cudaMemcpyDeviceToHost));
  // A copy that does not fit moves nothing (its source has not even that many bytes).
  EXPECT_EQ(cudaMemcpyToArray(array, 8, 0, host.data(), 64, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
#pragma GCC diagnostic pop
  EXPECT_EQ(back, host);
  expectOk(cudaFreeArray(array));
}

TEST(Copy, Batch) {
  OnDevice<int> a(numbers(4)), b(std::vector<int>(4, 0));
  int host[2] = {77, 78};
  cudaStream_t stream = nullptr;
  expectOk(cudaStreamCreate(&stream));
  void *dsts[] = {b.get(), b.get() + 2};
  const void *srcs[] = {a.get(), host};
  size_t sizes[] = {8, 8}, index = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  expectOk(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &index, 1, stream));
  expectOk(cudaStreamSynchronize(stream));
  EXPECT_EQ(b.read(), (std::vector<int>{1, 2, 77, 78}));
  expectOk(cudaStreamDestroy(stream));
}

TEST(Copy, DriverSetsOfEveryWidth) {
  startDriver();
  OnDevice<unsigned> a(std::vector<unsigned>(4, 0));
  auto p = reinterpret_cast<CUdeviceptr>(a.get());
  EXPECT_EQ(cuMemsetD32(p, 0x01020304, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD16(p + 4, 0xabcd, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D8(p + 8, 4, 0xff, 2, 2), CUDA_SUCCESS);
  EXPECT_EQ(a.read(), (std::vector<unsigned>{0x01020304, 0xabcdabcd, 0x0102ffff, 0x0102ffff}));
  EXPECT_EQ(cuMemsetD32(p + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(p, 0, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(p, 0, ~size_t(0)), CUDA_ERROR_INVALID_VALUE);
}

TEST(Copy, DriverArrayOffsets) {
  startDriver();
  CUarray array = nullptr;
  CUDA_ARRAY_DESCRIPTOR desc = {8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  ASSERT_EQ(cuArrayCreate(&array, &desc), CUDA_SUCCESS);
  char host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[4] = {};
  EXPECT_EQ(cuMemcpyHtoA(array, 2, host, 6), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(array, 3, host, 6), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyAtoH(back, array, 4, 4), CUDA_SUCCESS);
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[3], 6);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoH(back, array, 4, 4), CUDA_ERROR_INVALID_HANDLE);
}
