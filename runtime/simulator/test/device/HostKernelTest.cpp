// Kernels with a host version: they run, in stream order, with the arguments of the launch.
// SPDX-License-Identifier: Apache-2.0
#include "support/Registration.h"
#include "support/SimulatorTest.h"
#include <atomic>
#include <thread>

using namespace gpuinstr::sim::test;

extern "C" {
void gpuinstr_simulator_define_kernel(const void *, const char *,
                                      void (*)(const unsigned *, const unsigned *, void **),
                                      unsigned, const size_t *);
unsigned long long gpuinstr_simulator_kernels_started();
unsigned long long gpuinstr_simulator_kernels_not_run();
}

namespace {

/// add(int *to, char by): every thread adds to its element.
void runAdd(const unsigned *grid, const unsigned *block, void **arguments) {
  int *to = *static_cast<int **>(arguments[0]);
  for (unsigned i = 0; i < grid[0] * block[0]; ++i)
    to[i] += *static_cast<char *>(arguments[1]);
}

const size_t AddBytes[] = {sizeof(int *), sizeof(char)};
char Add, Unknown;

class HostKernel : public testing::Test {
protected:
  void SetUp() override {
    static int wrapper[4] = {0x466243b1, 1, 0, 0};
    Handle = __cudaRegisterFatBinary(wrapper);
    for (char *stub : {&Add, &Unknown})
      __cudaRegisterFunction(Handle, stub, stub, stub == &Add ? "_Z3addPic" : "_Z7unknownv", -1,
                             nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(Handle);
    gpuinstr_simulator_define_kernel(&Add, nullptr, runAdd, 2, AddBytes);
    Started = gpuinstr_simulator_kernels_started();
    NotRun = gpuinstr_simulator_kernels_not_run();
  }
  void TearDown() override { __cudaUnregisterFatBinary(Handle); }
  unsigned long long started() const { return gpuinstr_simulator_kernels_started() - Started; }
  unsigned long long notRun() const { return gpuinstr_simulator_kernels_not_run() - NotRun; }

  void **Handle = nullptr;
  unsigned long long Started = 0, NotRun = 0;
};

} // namespace

TEST_F(HostKernel, RunsWithGridAndArguments) {
  OnDevice<int> data({1, 2, 3, 4});
  int *to = data.get();
  char by = 10;
  void *arguments[] = {&to, &by};
  expectOk(cudaLaunchKernel(&Add, dim3(1), dim3(3), arguments, 0, nullptr));
  EXPECT_EQ(data.read(), (std::vector<int>{11, 12, 13, 4}));
  EXPECT_EQ(started(), 1u);
  EXPECT_EQ(notRun(), 0u);
}

TEST_F(HostKernel, OthersAreCountedAsNotRun) {
  OnDevice<int> data({1});
  expectOk(cudaLaunchKernel(&Unknown, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT_EQ(started(), 1u);
  EXPECT_EQ(notRun(), 1u);
  // A launch that is refused was not started.
  EXPECT_NE(cudaLaunchKernel(&Add, dim3(1), dim3(4096), nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(started(), 1u);
}

TEST_F(HostKernel, WaitsForItsTurnAndKeepsItsArguments) {
  OnDevice<int> data({1, 2});
  cudaStream_t stream = nullptr;
  expectOk(cudaStreamCreate(&stream));
  Gate before;
  expectOk(cudaLaunchHostFunc(stream, Gate::wait, &before));
  {
    int *to = data.get();
    char by = 5;
    void *arguments[] = {&to, &by};
    expectOk(cudaLaunchKernel(&Add, dim3(2), dim3(1), arguments, 0, stream));
    by = 99;
    to = nullptr;
  }
  EXPECT_EQ(data.get()[0], 1); // The device's memory is the host's.
  EXPECT_EQ(started(), 0u);
  before.open = true;
  expectOk(cudaStreamSynchronize(stream));
  EXPECT_EQ(data.read(), (std::vector<int>{6, 7}));
  EXPECT_EQ(started(), 1u);
  expectOk(cudaStreamDestroy(stream));
}

TEST_F(HostKernel, RunsInGraphs) {
  OnDevice<int> data({1});
  cudaGraph_t graph = nullptr, captured = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  expectOk(cudaStreamCreate(&stream));
  expectOk(cudaGraphCreate(&graph, 0));
  expectOk(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    int *to = data.get();
    char by = 2;
    void *arguments[] = {&to, &by};
    cudaKernelNodeParams params = {&Add, dim3(1), dim3(1), 0, arguments, nullptr};
    expectOk(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    expectOk(cudaLaunchKernel(&Add, dim3(1), dim3(1), arguments, 0, stream));
    by = 50;
    to = nullptr;
  }
  expectOk(cudaStreamEndCapture(stream, &captured));
  EXPECT_EQ(started(), 0u);
  for (cudaGraph_t from : {graph, captured}) {
    expectOk(cudaGraphInstantiate(&exec, from, 0));
    expectOk(cudaGraphDestroy(from));
    for (int round = 0; round < 2; ++round)
      expectOk(cudaGraphLaunch(exec, stream));
    expectOk(cudaStreamSynchronize(stream));
    expectOk(cudaGraphExecDestroy(exec));
  }
  EXPECT_EQ(data.read(), (std::vector<int>{9}));
  EXPECT_EQ(started(), 4u);
  EXPECT_EQ(notRun(), 0u);
  expectOk(cudaStreamDestroy(stream));
}

TEST_F(HostKernel, ByNameForModulesAndTheToolsOwnUncounted) {
  startDriver();
  const char *ptx = ".version 8.0\n.target sm_90\n.visible .entry gpuinstr_add(\n)\n{ ret; }\n"
                    ".visible .entry gpuinstr_other(\n)\n{ ret; }\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr, other = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "gpuinstr_add"), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&other, module, "gpuinstr_other"), CUDA_SUCCESS);
  gpuinstr_simulator_define_kernel(nullptr, "gpuinstr_add", runAdd, 2, AddBytes);
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(cuFuncGetParamInfo(function, 1, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 1u);
  EXPECT_EQ(cuFuncGetParamInfo(function, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetParamInfo(other, 0, &offset, &bytes), CUDA_ERROR_NOT_FOUND);
  OnDevice<int> data({1});
  int *to = data.get();
  char by = 3;
  void *arguments[] = {&to, &by};
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(data.read(), (std::vector<int>{4}));
  EXPECT_EQ(started(), 0u);
  EXPECT_EQ(notRun(), 0u);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

TEST_F(HostKernel, RunsThoughItsModuleIsGoneByThen) {
  startDriver();
  const char *ptx = ".version 8.0\n.target sm_90\n.visible .entry gpuinstr_late(\n)\n{ ret; }\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "gpuinstr_late"), CUDA_SUCCESS);
  gpuinstr_simulator_define_kernel(nullptr, "gpuinstr_late", runAdd, 2, AddBytes);
  OnDevice<int> data({1});
  int *to = data.get();
  char by = 3;
  void *arguments[] = {&to, &by};
  std::atomic<bool> goOn{false};
  ASSERT_EQ(cuLaunchHostFunc(
                nullptr,
                [](void *flag) {
                  while (!*static_cast<std::atomic<bool> *>(flag))
                    std::this_thread::yield();
                },
                &goOn),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  goOn = true;
  EXPECT_EQ(data.read(), (std::vector<int>{4}));
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}
