// Names, unsupported functions, logging, forks and exits.
// SPDX-License-Identifier: Apache-2.0
#include "support/Registration.h"
#include "support/SimulatorTest.h"

#include <atomic>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpuinstr::sim::test;

namespace {

CUdriverProcAddressQueryResult Status;

void *address(const char *name, int version, cuuint64_t flags = 0) {
  void *found = nullptr;
  EXPECT_EQ(cuGetProcAddress(name, &found, version, flags, &Status), CUDA_SUCCESS);
  return found;
}

void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

} // namespace

TEST(ProcAddress, VersionsAndPerThreadNames) {
  EXPECT_EQ(address("cuMemAlloc", 13000), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(address("cuMemAlloc", 2000), symbol("cuMemAlloc"));
  EXPECT_EQ(address("cuCtxCreate", 11040), symbol("cuCtxCreate_v3"));
  EXPECT_EQ(address("cuCtxCreate", 13000), symbol("cuCtxCreate_v4"));
  EXPECT_EQ(address("cuGraphInstantiate", 13000), symbol("cuGraphInstantiateWithFlags"));
  auto perThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(address("cuLaunchKernel", 13000, perThread), symbol("cuLaunchKernel_ptsz"));
  EXPECT_EQ(address("cuMemcpyHtoD", 13000, perThread), symbol("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(address("cuMemAlloc", 13000, perThread), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(address("cuNothing", 13000), nullptr);
  EXPECT_EQ(Status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  void *found = nullptr;
  cudaDriverEntryPointQueryResult query = cudaDriverEntryPointVersionNotSufficent;
  expectOk(cudaGetDriverEntryPointByVersion("cuMemFree", &found, 13000, 0, &query));
  EXPECT_EQ(found, symbol("cuMemFree_v2"));
  EXPECT_EQ(query, cudaDriverEntryPointSuccess);
}

TEST(PerThreadNames, UseTheThreadsOwnStream) {
  using Launch = cudaError_t (*)(cudaStream_t, cudaHostFn_t, void *);
  using Query = cudaError_t (*)(cudaStream_t);
  auto launchPerThread = reinterpret_cast<Launch>(symbol("cudaLaunchHostFunc_ptsz"));
  auto queryPerThread = reinterpret_cast<Query>(symbol("cudaStreamQuery_ptsz"));
  ASSERT_TRUE(launchPerThread && queryPerThread);
  Gate g;
  expectOk(launchPerThread(nullptr, Gate::wait, &g));
  EXPECT_EQ(queryPerThread(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  std::thread([&] { expectOk(queryPerThread(nullptr)); }).join();
  g.open = true;
  expectOk(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST(Unsupported, SaysSoOnceAndFails) {
  testing::internal::CaptureStderr();
  cudaIpcMemHandle_t handle;
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, "gpuinstr simulator: cudaIpcGetMemHandle is not simulated, it returns 'not "
                  "supported'\n");
  EXPECT_EQ(cuCtxDetach(nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(Unsupported, ImplementedNamesAreNotInTheTable) {
  // A function that is both would not link; this checks that a common one is really there.
  testing::internal::CaptureStderr();
  void *p = nullptr;
  expectOk(cudaMalloc(&p, 16));
  expectOk(cudaFree(p));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Log, OneLineACall) {
  EXPECT_EXIT(
      {
        setenv("GPUINSTR_SIM", "log=1", 1);
        void *p = nullptr;
        cudaMalloc(&p, 16);
        cudaFree(&p);
        _exit(0);
      },
      testing::ExitedWithCode(0),
      "gpuinstr simulator: cudaMalloc -> 0\ngpuinstr simulator: cudaFree -> 1\n");
}

TEST(Devices, NoneVisible) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        int count = 7;
        void *p = nullptr;
        bool right = cudaGetDeviceCount(&count) == cudaErrorNoDevice && count == 0 &&
                     cudaMalloc(&p, 16) == cudaErrorNoDevice;
        _exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Devices, SomeVisible) {
  EXPECT_EXIT(
      {
        setenv("CUDA_VISIBLE_DEVICES", "1,7,0", 1);
        int count = 7;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess && count == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Fork, ChildIsRefusedAndTheParentGoesOn) {
  void *p = nullptr;
  expectOk(cudaMalloc(&p, 16));
  pid_t child = fork();
  if (child == 0) {
    void *q = nullptr;
    bool right = cudaMalloc(&q, 16) == cudaErrorInitializationError &&
                 cudaFree(p) == cudaErrorInitializationError &&
                 cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    _exit(right ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
  expectOk(cudaFree(p));
}

/// Its exit unregisters kernels, while the parent's threads were in the middle of calls.
TEST(Fork, ChildOfABusyParentEnds) {
  static int wrapper[4] = {0x466243b1, 1, 0, 0};
  void **handle = __cudaRegisterFatBinary(wrapper);
  std::atomic<bool> isOver{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i)
    busy.emplace_back([&] {
      for (void *p = nullptr; !isOver && cudaMalloc(&p, 16) == cudaSuccess;)
        cudaFree(p);
    });
  int hung = 0;
  for (int i = 0; i < 60 && !hung; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      __cudaUnregisterFatBinary(handle);
      _exit(0);
    }
    int result = -1;
    waitpid(child, &result, 0);
    hung += result != 0;
  }
  isOver = true;
  for (std::thread &thread : busy)
    thread.join();
  EXPECT_EQ(hung, 0);
  __cudaUnregisterFatBinary(handle);
}

TEST(Fork, ChildOfAnUnusedParentWorks) {
  EXPECT_EXIT(
      {
        pid_t child = fork();
        if (child == 0) {
          void *p = nullptr;
          _exit(cudaMalloc(&p, 16) == cudaSuccess ? 0 : 1);
        }
        int result = -1;
        waitpid(child, &result, 0);
        _exit(result == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Exit, PendingWorkDoesNotHangTheEnd) {
  EXPECT_EXIT(
      {
        static Gate g; // Never opens.
        cudaLaunchHostFunc(nullptr, Gate::wait, &g);
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
  const char *name = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
}
