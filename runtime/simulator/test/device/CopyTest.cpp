// That copies and sets move the right bytes.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

#include <numeric>

using namespace gpuinstr::sim::test;

namespace {
std::vector<int> numbers(size_t Count) {
  std::vector<int> Values(Count);
  std::iota(Values.begin(), Values.end(), 1);
  return Values;
}
} // namespace

TEST(Copy, EveryDirection) {
  auto Values = numbers(1000);
  OnDevice<int> A(Values), B(std::vector<int>(1000, 0));
  expectOk(cudaMemcpy(B.get() + 1, A.get(), 999 * 4, cudaMemcpyDeviceToDevice));
  auto Back = B.read();
  EXPECT_EQ(Back[0], 0);
  EXPECT_TRUE(std::equal(Back.begin() + 1, Back.end(), Values.begin()));
}

TEST(Copy, OverlappingRangesKeepTheirBytes) {
  OnDevice<int> A(numbers(100));
  expectOk(cudaMemcpy(A.get() + 10, A.get(), 90 * 4, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(A.read()[99], 90);
}

TEST(Copy, PitchedRows) {
  constexpr size_t Width = 100, Height = 7;
  void *Pitched = nullptr;
  size_t Pitch = 0;
  expectOk(cudaMallocPitch(&Pitched, &Pitch, Width, Height));
  EXPECT_EQ(Pitch % 512, 0u);
  std::vector<char> Host(Width * Height), Back(Width * Height);
  std::iota(Host.begin(), Host.end(), 0);
  expectOk(cudaMemset2D(Pitched, Pitch, 9, Width, Height));
  expectOk(
      cudaMemcpy2D(Pitched, Pitch, Host.data(), Width, Width, Height - 1, cudaMemcpyHostToDevice));
  expectOk(cudaMemcpy2D(Back.data(), Width, Pitched, Pitch, Width, Height, cudaMemcpyDeviceToHost));
  EXPECT_TRUE(std::equal(Host.begin(), Host.end() - Width, Back.begin()));
  EXPECT_EQ(Back[Width * (Height - 1)], 9);
  // The last row needs its width only, not the whole pitch.
  size_t Padding = Pitch - Width;
  expectOk(cudaMemset2D(Pitched, Pitch, 1, Pitch, Height));
  EXPECT_EQ(cudaMemset2D(static_cast<char *>(Pitched) + 1, Pitch, 1, Width + Padding, Height),
            cudaErrorInvalidValue);
  expectOk(cudaFree(Pitched));
}

TEST(Copy, VolumesAndArrays) {
  cudaExtent Extent = {4, 3, 2};
  cudaChannelFormatDesc Int = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t Array = nullptr;
  expectOk(cudaMalloc3DArray(&Array, &Int, Extent, 0));
  auto Host = numbers(24);
  cudaMemcpy3DParms In = {};
  In.srcPtr = {Host.data(), 16, 4, 3};
  In.dstArray = Array;
  In.extent = Extent;
  In.kind = cudaMemcpyHostToDevice;
  expectOk(cudaMemcpy3D(&In));
  cudaPitchedPtr Volume = {};
  expectOk(cudaMalloc3D(&Volume, {16, 3, 2}));
  expectOk(cudaMemset3D(Volume, 0, {16, 3, 2}));
  cudaMemcpy3DParms Part = {};
  Part.srcArray = Array;
  Part.srcPos = {1, 1, 1};
  Part.dstPtr = Volume;
  Part.extent = {3, 2, 1};
  Part.kind = cudaMemcpyDeviceToDevice;
  expectOk(cudaMemcpy3D(&Part));
  std::vector<int> Back(24);
  cudaMemcpy3DParms Out = {};
  Out.srcPtr = Volume;
  Out.dstPtr = {Back.data(), 16, 4, 3};
  Out.extent = {16, 3, 2};
  Out.kind = cudaMemcpyDeviceToHost;
  expectOk(cudaMemcpy3D(&Out));
  EXPECT_EQ(std::vector<int>(Back.begin(), Back.begin() + 8),
            (std::vector<int>{18, 19, 20, 0, 22, 23, 24, 0}));
  // One element more leaves the array.
  Part.extent = {4, 2, 1};
  EXPECT_EQ(cudaMemcpy3D(&Part), cudaErrorInvalidValue);
  expectOk(cudaFreeArray(Array));
  expectOk(cudaFree(Volume.ptr));
}

TEST(Copy, LinearArrayCopiesWrapAtRowEnds) {
  cudaChannelFormatDesc Int = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t Array = nullptr;
  expectOk(cudaMallocArray(&Array, &Int, 4, 4, 0));
  auto Host = numbers(10);
  std::vector<int> Back(10);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  expectOk(cudaMemcpyToArray(Array, 8, 0, Host.data(), 40, cudaMemcpyHostToDevice));
  expectOk(cudaMemcpyFromArray(Back.data(), Array, 8, 0, 40, cudaMemcpyDeviceToHost));
  // A copy that does not fit moves nothing (its source has not even that many bytes).
  EXPECT_EQ(cudaMemcpyToArray(Array, 8, 0, Host.data(), 64, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
#pragma GCC diagnostic pop
  EXPECT_EQ(Back, Host);
  expectOk(cudaFreeArray(Array));
}

TEST(Copy, Batch) {
  OnDevice<int> A(numbers(4)), B(std::vector<int>(4, 0));
  int Host[2] = {77, 78};
  cudaStream_t Stream = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  void *Dsts[] = {B.get(), B.get() + 2};
  const void *Srcs[] = {A.get(), Host};
  size_t Sizes[] = {8, 8}, Index = 0;
  cudaMemcpyAttributes Attributes = {};
  Attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  expectOk(cudaMemcpyBatchAsync(Dsts, Srcs, Sizes, 2, &Attributes, &Index, 1, Stream));
  expectOk(cudaStreamSynchronize(Stream));
  EXPECT_EQ(B.read(), (std::vector<int>{1, 2, 77, 78}));
  expectOk(cudaStreamDestroy(Stream));
}

TEST(Copy, DriverSetsOfEveryWidth) {
  startDriver();
  OnDevice<unsigned> A(std::vector<unsigned>(4, 0));
  auto P = reinterpret_cast<CUdeviceptr>(A.get());
  EXPECT_EQ(cuMemsetD32(P, 0x01020304, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD16(P + 4, 0xabcd, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D8(P + 8, 4, 0xff, 2, 2), CUDA_SUCCESS);
  EXPECT_EQ(A.read(), (std::vector<unsigned>{0x01020304, 0xabcdabcd, 0x0102ffff, 0x0102ffff}));
  EXPECT_EQ(cuMemsetD32(P + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(P, 0, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(P, 0, ~size_t(0)), CUDA_ERROR_INVALID_VALUE);
}

TEST(Copy, DriverArrayOffsets) {
  startDriver();
  CUarray Array = nullptr;
  CUDA_ARRAY_DESCRIPTOR Desc = {8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  ASSERT_EQ(cuArrayCreate(&Array, &Desc), CUDA_SUCCESS);
  char Host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, Back[4] = {};
  EXPECT_EQ(cuMemcpyHtoA(Array, 2, Host, 6), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(Array, 3, Host, 6), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyAtoH(Back, Array, 4, 4), CUDA_SUCCESS);
  EXPECT_EQ(Back[0], 3);
  EXPECT_EQ(Back[3], 6);
  EXPECT_EQ(cuArrayDestroy(Array), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoH(Back, Array, 4, 4), CUDA_ERROR_INVALID_HANDLE);
}
