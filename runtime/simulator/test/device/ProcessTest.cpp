// Names, unsupported functions, logging, forks and exits.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpuinstr::sim::test;

namespace {

CUdriverProcAddressQueryResult Status;

void *address(const char *Name, int Version, cuuint64_t Flags = 0) {
  void *Found = nullptr;
  EXPECT_EQ(cuGetProcAddress(Name, &Found, Version, Flags, &Status), CUDA_SUCCESS);
  return Found;
}

void *symbol(const char *Name) { return dlsym(RTLD_DEFAULT, Name); }

} // namespace

TEST(ProcAddress, VersionsAndPerThreadNames) {
  EXPECT_EQ(address("cuMemAlloc", 13000), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(address("cuMemAlloc", 2000), symbol("cuMemAlloc"));
  EXPECT_EQ(address("cuCtxCreate", 11040), symbol("cuCtxCreate_v3"));
  EXPECT_EQ(address("cuCtxCreate", 13000), symbol("cuCtxCreate_v4"));
  EXPECT_EQ(address("cuGraphInstantiate", 13000), symbol("cuGraphInstantiateWithFlags"));
  auto PerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(address("cuLaunchKernel", 13000, PerThread), symbol("cuLaunchKernel_ptsz"));
  EXPECT_EQ(address("cuMemcpyHtoD", 13000, PerThread), symbol("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(address("cuMemAlloc", 13000, PerThread), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(address("cuNothing", 13000), nullptr);
  EXPECT_EQ(Status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  void *Found = nullptr;
  cudaDriverEntryPointQueryResult Query = cudaDriverEntryPointVersionNotSufficent;
  expectOk(cudaGetDriverEntryPointByVersion("cuMemFree", &Found, 13000, 0, &Query));
  EXPECT_EQ(Found, symbol("cuMemFree_v2"));
  EXPECT_EQ(Query, cudaDriverEntryPointSuccess);
}

TEST(PerThreadNames, UseTheThreadsOwnStream) {
  using Launch = cudaError_t (*)(cudaStream_t, cudaHostFn_t, void *);
  using Query = cudaError_t (*)(cudaStream_t);
  auto LaunchPerThread = reinterpret_cast<Launch>(symbol("cudaLaunchHostFunc_ptsz"));
  auto QueryPerThread = reinterpret_cast<Query>(symbol("cudaStreamQuery_ptsz"));
  ASSERT_TRUE(LaunchPerThread && QueryPerThread);
  Gate G;
  expectOk(LaunchPerThread(nullptr, Gate::wait, &G));
  EXPECT_EQ(QueryPerThread(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  std::thread([&] { expectOk(QueryPerThread(nullptr)); }).join();
  G.Open = true;
  expectOk(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST(Unsupported, SaysSoOnceAndFails) {
  testing::internal::CaptureStderr();
  cudaIpcMemHandle_t Handle;
  EXPECT_EQ(cudaIpcGetMemHandle(&Handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcGetMemHandle(&Handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Said, "gpuinstr simulator: cudaIpcGetMemHandle is not simulated, it returns 'not "
                  "supported'\n");
  EXPECT_EQ(cuCtxDetach(nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(Unsupported, ImplementedNamesAreNotInTheTable) {
  // A function that is both would not link; this checks that a common one is really there.
  testing::internal::CaptureStderr();
  void *P = nullptr;
  expectOk(cudaMalloc(&P, 16));
  expectOk(cudaFree(P));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Log, OneLineACall) {
  EXPECT_EXIT(
      {
        setenv("GPUINSTR_SIM", "log=1", 1);
        void *P = nullptr;
        cudaMalloc(&P, 16);
        cudaFree(&P);
        _exit(0);
      },
      testing::ExitedWithCode(0),
      "gpuinstr simulator: cudaMalloc -> 0\ngpuinstr simulator: cudaFree -> 1\n");
}

TEST(Devices, NoneVisible) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        int Count = 7;
        void *P = nullptr;
        bool Right = cudaGetDeviceCount(&Count) == cudaErrorNoDevice && Count == 0 &&
                     cudaMalloc(&P, 16) == cudaErrorNoDevice;
        _exit(Right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Devices, SomeVisible) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "1,7,0", 1);
        int Count = 7;
        _exit(cudaGetDeviceCount(&Count) == cudaSuccess && Count == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Fork, ChildIsRefusedAndTheParentGoesOn) {
  void *P = nullptr;
  expectOk(cudaMalloc(&P, 16));
  pid_t Child = fork();
  if (Child == 0) {
    void *Q = nullptr;
    bool Right = cudaMalloc(&Q, 16) == cudaErrorInitializationError &&
                 cudaFree(P) == cudaErrorInitializationError &&
                 cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    _exit(Right ? 0 : 1);
  }
  int Result = -1;
  ASSERT_EQ(waitpid(Child, &Result, 0), Child);
  EXPECT_EQ(Result, 0);
  expectOk(cudaFree(P));
}

TEST(Fork, ChildOfAnUnusedParentWorks) {
  EXPECT_EXIT(
      {
        pid_t Child = fork();
        if (Child == 0) {
          void *P = nullptr;
          _exit(cudaMalloc(&P, 16) == cudaSuccess ? 0 : 1);
        }
        int Result = -1;
        waitpid(Child, &Result, 0);
        _exit(Result == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Exit, PendingWorkDoesNotHangTheEnd) {
  EXPECT_EXIT(
      {
        static Gate G; // Never opens.
        cudaLaunchHostFunc(nullptr, Gate::wait, &G);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(Errors, EachThreadHasItsOwn) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  std::thread([] { expectOk(cudaPeekAtLastError()); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  expectOk(cudaGetLastError());
}

TEST(Errors, Names) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
  const char *Name = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &Name), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "CUDA_ERROR_OUT_OF_MEMORY");
}
