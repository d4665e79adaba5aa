// Which functions of CUDA's count where they are called unseen.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/CudaFunctions.h"
#include <gtest/gtest.h>

namespace gpuinstr {
namespace {

TEST(CudaFunctions, CountsWhatWritesWaitsOrTellsOfErrors) {
  for (const char *name :
       {"cudaMemcpy", "cudaMemcpyAsync_ptsz", "cuMemcpyHtoD_v2", "cudaLaunchKernel",
        "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz", "cuLaunchKernelEx", "cudaMemset",
        "cudaMalloc", "cudaFree", "cudaDeviceSynchronize", "cudaGetLastError",
        "cudaPeekAtLastError", "cudaGraphLaunch", "cudaGetDriverEntryPoint", "cudaSomethingNew"})
    EXPECT_TRUE(isCudaWork(name)) << name;
}

TEST(CudaFunctions, KnowsWhatMayRunKernels) {
  for (const char *name :
       {"cudaLaunchKernel", "__cudaLaunchKernel", "cuLaunchKernelEx", "cudaGraphLaunch",
        "cudaLaunchHostFunc", "cuStreamWaitValue32_v2", "cuStreamBatchMemOp_v2",
        "cudaGetDriverEntryPoint", "cuGetProcAddress_v2", "cublasSgemm_v2", "ncclAllReduce",
        "cudnnConvolutionForward"})
    EXPECT_TRUE(runsKernels(name)) << name;
  for (const char *name :
       {"cudaMemcpy", "cudaMemset", "cudaMalloc", "cudaFree", "cudaDeviceSynchronize",
        "cudaGetLastError", "cudaGetDevice", "cublas_helper", "launch"})
    EXPECT_FALSE(runsKernels(name)) << name;
}

TEST(CudaFunctions, LeavesOutQuestionsAndWhatIsNoneOfCudas) {
  for (const char *name :
       {"cudaGetDevice", "cudaGetDeviceCount", "cudaGetDeviceProperties_v2", "cudaSetDevice",
        "cuInit", "cudaProfilerStart", "cuCtxSetCurrent", "cudaRuntimeGetVersion",
        "cudaGetErrorString", "__cudaRegisterFatBinary", "__cudaPushCallConfiguration",
        "cublas_helper", "cuda_helper", "cudart_init", "cuda", "cu", "", "memcpy"})
    EXPECT_FALSE(isCudaWork(name)) << name;
}

/// The numbers are stored in programs: names are only ever added behind the last one.
TEST(CudaFunctions, KnowsTheRuntimesFunctionsByNumber) {
  EXPECT_STREQ(runtimeFunction(0), "cudaCreateSurfaceObject");
  EXPECT_STREQ(runtimeFunction(154), "cudaMemcpy");
  EXPECT_STREQ(runtimeFunction(331), "cudaGraphDebugDotPrint");
  EXPECT_EQ(runtimeFunction(~0u), nullptr);
}

TEST(CudaFunctions, KnowsLibrariesThatAreLinkedIn) {
  for (const char *name : {"cudaMemcpy", "cudaMemcpy_ptds", "__cudaLaunchKernel", "cublasSgemm_v2",
                           "libcublas_static_0dc9f7d2a1c4e7d0a3c1b5b1c6c9c7b7e1a2f3d4",
                           "libcudart_static_cd7c91532a2584d2b4fe9ce1889e54f5578a09f6",
                           "_Z16memcpy_3d_deviceIjLi0ELi0ELi1EEv12MemcpyParamsIT_E",
                           "_Z16memset_3d_deviceImLi1ELi1ELi1EEv12MemsetParamsIT_E"})
    EXPECT_TRUE(isOfNvidia(name)) << name;
  for (const char *name : {"cudaCheckError", "cuMemcpy", "main", "libcudart", "libmine_static_init",
                           "_Z16memcpy_3d_deviceIfEvPT_", "_Z16memset_3d_devicePf"})
    EXPECT_FALSE(isOfNvidia(name)) << name;
}

} // namespace
} // namespace gpuinstr
