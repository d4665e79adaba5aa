// Which of the functions at an address is told, and how it is named.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/PlaceFrames.h"
#include "attach/native/CudaNames.h"
#include "attach/native/FunctionName.h"
#include <gtest/gtest.h>

using namespace gpuinstr::attach;

namespace {

TEST(CudaNames, OfTheStaticLibraryAndTheHeaders) {
  for (const char *name :
       {"cudaMalloc", "cudaMemcpy_ptds", "cudaLaunchKernel_ptsz", "cudaGetDeviceProperties_v2",
        "cudaMemcpyToSymbol", "cudaBindTexture", "__cudaRegisterFatBinary", "__cudart1234",
        "libcudart_static_0056bd", "_ZL10cudaMallocIfE9cudaErrorPPT_m", "cudaMalloc.part.0",
        "_ZL18cudaMemcpyToSymbolIA1024_fE9cudaErrorRKT_PKvmm14cudaMemcpyKind",
        "_Z16cudaLaunchKernelIcE9cudaErrorPKT_4dim3S4_PPvmP11CUstream_st",
        "_ZL15cudaEventCreatePP10CUevent_stj", "_Z22__device_stub__Z3usePfPf",
        "_ZL25__cudaLaunchKernel_helperP9CUkern_st4dim3S1_PPvmP11CUstream_st",
        "_ZL10cudaMallocIfE9cudaErrorPPT_m.isra.0"})
    EXPECT_TRUE(isCudaSymbol(name)) << name;
  for (const char *name :
       {"cudaMalloc<float>", "cudaMalloc<std::pair<int, int> >", "cudaEventCreate",
        "__device_stub__Z3usePf", "ns::__wrapper__device_stub_tmpl<int>"})
    EXPECT_TRUE(isCudaWrapper(name)) << name;
}

TEST(CudaNames, AreNoneOfAProgramsOwn) {
  for (const char *name :
       {"cudaCheck", "cudaSafeCall", "__cudaSafeCall", "__cudaCheckError", "cudaMallocChecked",
        "_Z9cudaCheck9cudaErrorPKci", "_ZL12cudaSafeCall9cudaErrorPKci", "main", "", "_Z", "_ZL",
        "_Z99cudaMalloc", "_Z99999999999999999999999999cudaMalloc", "cuda",
        "_ZN4mine10cudaMallocIfEEiPPT_m", "_Z14__cudaSafeCall9cudaErrorPKci",
        "_ZL10cudaMemcpyR6MatrixRKS_", " ", "cudaMalloc cudaMallocHost"})
    EXPECT_FALSE(isCudaSymbol(name)) << name;
  for (const char *name : {"mine::cudaMalloc<float>", "check<cudaMalloc>", "cudaCheck",
                           "cudaMemcpy", "", "<lambda()>"})
    EXPECT_FALSE(isCudaWrapper(name)) << name;
}

TEST(FunctionName, IsWithoutArgumentsAndResult) {
  auto expect = [](const char *mangled, const char *name) {
    EXPECT_EQ(functionName(mangled), name);
  };
  expect("main", "main");
  expect("_ZL4holdm", "hold");
  expect("_ZL10cudaMallocIfE9cudaErrorPPT_m", "cudaMalloc<float>");
  expect("_ZN4mine6BufferIiE6resizeEm", "mine::Buffer<int>::resize");
  expect("_ZNK4mine6BufferIiE4sizeEv", "mine::Buffer<int>::size");
  expect("_ZN12_GLOBAL__N_14holdEm", "(anonymous namespace)::hold");
  expect("_ZN12_GLOBAL__N_16uploadIfEEvPT_m", "(anonymous namespace)::upload<float>");
  expect("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
  expect("_ZN6BufferixEm", "Buffer::operator[]");
  expect("_ZN6BuffercvT_IPfEEv", "Buffer::operator float*<float*>");
  expect("_ZL4holdm.part.0", "hold");
  expect("hold.part.0", "hold.part.0");
  expect("mine::hold<int>", "mine::hold<int>");
  expect("", "");
}

std::vector<SourceFrame> framesOf(std::initializer_list<const char *> names) {
  std::vector<SourceFrame> frames;
  for (const char *name : names)
    frames.push_back({{"a.cpp", uint32_t(frames.size() + 1), 1}, name});
  return frames;
}

TEST(PlaceFrames, PassOverThoseOfCuda) {
  PlaceFrames found = placeFramesOf(framesOf({"cudaMalloc<int>", "Buffer::Buffer", "main"}), {});
  EXPECT_EQ(found.place.function, "Buffer::Buffer");
  EXPECT_EQ(found.place.at.line, 2u);
  ASSERT_TRUE(found.hasAround);
  EXPECT_EQ(found.around.function, "main");
  EXPECT_EQ(found.around.at.line, 3u);

  found = placeFramesOf(framesOf({"cudaMalloc<int>", "main"}), {});
  EXPECT_EQ(found.place.function, "main");
  EXPECT_FALSE(found.hasAround);
}

TEST(PlaceFrames, OfAProgramsOwnFunctionInsideCudas) {
  PlaceFrames found =
      placeFramesOf(framesOf({"bytesOf", "cudaOccupancyMaxPotentialBlockSize<int>", "main"}), {});
  EXPECT_EQ(found.place.function, "bytesOf");
  ASSERT_TRUE(found.hasAround);
  EXPECT_EQ(found.around.function, "main");
}

TEST(PlaceFrames, KeepTheOutermostOfAny) {
  EXPECT_EQ(placeFramesOf(framesOf({"cudaMalloc<int>"}), {}).place.at.line, 1u);
  EXPECT_EQ(placeFramesOf({}, {}).place.at.line, 0u);
}

TEST(PlaceFrames, OfALaunchAreWhereItStands) {
  KernelStubs stubs;
  for (const char *stub :
       {"_Z22__device_stub__Z3usePfPf", "_ZZL24__device_stub__Z5localPiPiE8__handle",
        "_ZL33__device_stub__ZN2ns4tmplIiEEvPT_Pi", "_Z24__device_stub__Z5plainPiPi"})
    stubs.add(kernelOfStub(stub));
  for (const char *kernel :
       {"_Z3usePf", "_ZL5localPi", "_ZN2nsL4tmplIiEEvPT_", "local", "ns::tmpl<int>", "plain"}) {
    PlaceFrames found = placeFramesOf(framesOf({kernel, "_Z6launchPf", "main"}), stubs);
    EXPECT_EQ(found.place.function, "_Z6launchPf");
    EXPECT_EQ(found.around.function, "main");
    EXPECT_TRUE(arePassed(framesOf({kernel}), stubs)) << kernel;
  }
  // An overload of the program's own, a kernel that another stub is for, and no stubs at all.
  for (const char *other : {"_Z3usei", "_Z4usedPf", "main", ""})
    EXPECT_FALSE(arePassed(framesOf({other}), stubs)) << other;
  EXPECT_FALSE(arePassed(framesOf({"_Z3usePf"}), {}));
  // The stub is inlined, and in no table of symbols.
  EXPECT_TRUE(arePassed(framesOf({"__device_stub__Z3usePf", "_Z3usePf"}), {}));
  EXPECT_FALSE(arePassed(framesOf({"__device_stub__Z3usePf", "_Z4usedPf"}), {}));
}

TEST(KernelStubs, OfBrokenNamesAreNone) {
  for (const char *name : {"", "__device_stub_", "__device_stub__", "_Z14__device_stub_",
                           "_Z999__device_stub__Z1kv", "_Z99999999999999999999__device_stub__Z1kv",
                           "0__device_stub__Z1kv", "_Z18__device_stub__usePf"})
    EXPECT_EQ(kernelOfStub(name), "") << name;
}

} // namespace
