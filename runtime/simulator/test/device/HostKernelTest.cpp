// Kernels with a host version: they run, in stream order, with the arguments of the launch.
// SPDX-License-Identifier: Apache-2.0
#include "support/Registration.h"
#include "support/SimulatorTest.h"

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
void runAdd(const unsigned *Grid, const unsigned *Block, void **Arguments) {
  int *To = *static_cast<int **>(Arguments[0]);
  for (unsigned I = 0; I < Grid[0] * Block[0]; ++I)
    To[I] += *static_cast<char *>(Arguments[1]);
}

const size_t AddBytes[] = {sizeof(int *), sizeof(char)};
char Add, Unknown;

class HostKernel : public testing::Test {
protected:
  void SetUp() override {
    static int Wrapper[4] = {0x466243b1, 1, 0, 0};
    Handle = __cudaRegisterFatBinary(Wrapper);
    for (char *Stub : {&Add, &Unknown})
      __cudaRegisterFunction(Handle, Stub, Stub, Stub == &Add ? "_Z3addPic" : "_Z7unknownv", -1,
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
  OnDevice<int> Data({1, 2, 3, 4});
  int *To = Data.get();
  char By = 10;
  void *Arguments[] = {&To, &By};
  expectOk(cudaLaunchKernel(&Add, dim3(1), dim3(3), Arguments, 0, nullptr));
  EXPECT_EQ(Data.read(), (std::vector<int>{11, 12, 13, 4}));
  EXPECT_EQ(started(), 1u);
  EXPECT_EQ(notRun(), 0u);
}

TEST_F(HostKernel, OthersAreCountedAsNotRun) {
  OnDevice<int> Data({1});
  expectOk(cudaLaunchKernel(&Unknown, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT_EQ(started(), 1u);
  EXPECT_EQ(notRun(), 1u);
  // A launch that is refused was not started.
  EXPECT_NE(cudaLaunchKernel(&Add, dim3(1), dim3(4096), nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(started(), 1u);
}

TEST_F(HostKernel, WaitsForItsTurnAndKeepsItsArguments) {
  OnDevice<int> Data({1, 2});
  cudaStream_t Stream = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  Gate Before;
  expectOk(cudaLaunchHostFunc(Stream, Gate::wait, &Before));
  {
    int *To = Data.get();
    char By = 5;
    void *Arguments[] = {&To, &By};
    expectOk(cudaLaunchKernel(&Add, dim3(2), dim3(1), Arguments, 0, Stream));
    By = 99;
    To = nullptr;
  }
  EXPECT_EQ(Data.get()[0], 1); // The device's memory is the host's.
  EXPECT_EQ(started(), 0u);
  Before.Open = true;
  expectOk(cudaStreamSynchronize(Stream));
  EXPECT_EQ(Data.read(), (std::vector<int>{6, 7}));
  EXPECT_EQ(started(), 1u);
  expectOk(cudaStreamDestroy(Stream));
}

TEST_F(HostKernel, RunsInGraphs) {
  OnDevice<int> Data({1});
  cudaGraph_t Graph = nullptr, Captured = nullptr;
  cudaGraphNode_t Node = nullptr;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  {
    int *To = Data.get();
    char By = 2;
    void *Arguments[] = {&To, &By};
    cudaKernelNodeParams Params = {&Add, dim3(1), dim3(1), 0, Arguments, nullptr};
    expectOk(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Params));
    expectOk(cudaLaunchKernel(&Add, dim3(1), dim3(1), Arguments, 0, Stream));
    By = 50;
    To = nullptr;
  }
  expectOk(cudaStreamEndCapture(Stream, &Captured));
  EXPECT_EQ(started(), 0u);
  for (cudaGraph_t From : {Graph, Captured}) {
    expectOk(cudaGraphInstantiate(&Exec, From, 0));
    expectOk(cudaGraphDestroy(From));
    for (int Round = 0; Round < 2; ++Round)
      expectOk(cudaGraphLaunch(Exec, Stream));
    expectOk(cudaStreamSynchronize(Stream));
    expectOk(cudaGraphExecDestroy(Exec));
  }
  EXPECT_EQ(Data.read(), (std::vector<int>{9}));
  EXPECT_EQ(started(), 4u);
  EXPECT_EQ(notRun(), 0u);
  expectOk(cudaStreamDestroy(Stream));
}

TEST_F(HostKernel, ByNameForModulesAndTheToolsOwnUncounted) {
  startDriver();
  const char *Ptx = ".version 8.0\n.target sm_90\n.visible .entry gpuinstr_add(\n)\n{ ret; }\n"
                    ".visible .entry gpuinstr_other(\n)\n{ ret; }\n";
  CUmodule Module = nullptr;
  CUfunction Function = nullptr, Other = nullptr;
  ASSERT_EQ(cuModuleLoadData(&Module, Ptx), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&Function, Module, "gpuinstr_add"), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&Other, Module, "gpuinstr_other"), CUDA_SUCCESS);
  gpuinstr_simulator_define_kernel(nullptr, "gpuinstr_add", runAdd, 2, AddBytes);
  OnDevice<int> Data({1});
  int *To = Data.get();
  char By = 3;
  void *Arguments[] = {&To, &By};
  EXPECT_EQ(cuLaunchKernel(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(Other, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Data.read(), (std::vector<int>{4}));
  EXPECT_EQ(started(), 0u);
  EXPECT_EQ(notRun(), 0u);
  EXPECT_EQ(cuModuleUnload(Module), CUDA_SUCCESS);
}
