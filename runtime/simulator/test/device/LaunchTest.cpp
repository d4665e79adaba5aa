// What compiled host code registers, and launches of it.
// SPDX-License-Identifier: Apache-2.0
#include "support/Registration.h"
#include "support/SimulatorTest.h"

#include <cstring>

using namespace gpuinstr::sim::test;

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
int gpuinstr_simulator_version();
}

namespace {

char Stub, Variable;
void *ManagedPointer = nullptr;

class Registered : public testing::Test {
protected:
  void SetUp() override {
    static int Wrapper[4] = {0x466243b1, 1, 0, 0};
    Handle = __cudaRegisterFatBinary(Wrapper);
    __cudaRegisterFunction(Handle, &Stub, &Stub, "_Z6kernelv", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterVar(Handle, &Variable, &Variable, "variable", 0, 16, 0, 0);
    ManagedPointer = nullptr;
    __cudaRegisterManagedVar(Handle, &ManagedPointer, &Variable, "managed", 0, 8, 0, 0);
    __cudaRegisterFatBinaryEnd(Handle);
  }
  void TearDown() override {
    if (Handle)
      __cudaUnregisterFatBinary(Handle);
  }
  void **Handle = nullptr;
};

} // namespace

TEST_F(Registered, LaunchInEveryShape) {
  expectOk(cudaLaunchKernel(&Stub, dim3(1), dim3(32), nullptr, 0, nullptr));
  cudaKernel_t Kernel = nullptr;
  expectOk(__cudaGetKernel(&Kernel, &Stub));
  expectOk(__cudaLaunchKernel(Kernel, dim3(1), dim3(32), nullptr, 0, nullptr));
  expectOk(cudaLaunchCooperativeKernel(&Stub, dim3(1), dim3(32), nullptr, 0, nullptr));
  cudaFunction_t Function = nullptr;
  expectOk(cudaGetFuncBySymbol(&Function, &Stub));
  EXPECT_EQ(cuLaunchKernel(Function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  const char *Name = nullptr;
  EXPECT_EQ(cuFuncGetName(&Name, Function), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "_Z6kernelv");
  expectOk(cudaFuncGetName(&Name, &Stub));
  EXPECT_STREQ(Name, "_Z6kernelv");
}

TEST_F(Registered, StaleStreamIsRefused) {
  cudaStream_t Stream = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  expectOk(cudaStreamDestroy(Stream));
  EXPECT_EQ(cudaLaunchKernel(&Stub, dim3(1), dim3(32), nullptr, 0, Stream),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Registered, UnregisteredKernelsAreUnknown) {
  __cudaUnregisterFatBinary(Handle);
  Handle = nullptr;
  EXPECT_EQ(cudaLaunchKernel(&Stub, dim3(1), dim3(32), nullptr, 0, nullptr),
            cudaErrorInvalidResourceHandle);
  void *Address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&Address, &Variable), cudaErrorInvalidSymbol);
}

TEST_F(Registered, VariablesHaveZeroedMemoryOnEachDevice) {
  void *Address[2] = {};
  for (int Device = 0; Device < 2; ++Device) {
    expectOk(cudaSetDevice(Device));
    expectOk(cudaGetSymbolAddress(&Address[Device], &Variable));
    int Values[4] = {9, 9, 9, 9};
    expectOk(cudaMemcpyFromSymbol(Values, &Variable, 16, 0, cudaMemcpyDeviceToHost));
    EXPECT_EQ(Values[3], 0);
  }
  EXPECT_NE(Address[0], Address[1]);
  expectOk(cudaSetDevice(0));
  // A reset gives the variable new memory.
  int One = 1, Back = 9;
  expectOk(cudaMemcpyToSymbol(&Variable, &One, 4, 8, cudaMemcpyHostToDevice));
  expectOk(cudaDeviceReset());
  expectOk(cudaMemcpyFromSymbol(&Back, &Variable, 4, 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Back, 0);
}

TEST_F(Registered, ManagedVariableIsReachedThroughItsPointer) {
  ASSERT_EQ(__cudaInitModule(Handle), 1);
  ASSERT_NE(ManagedPointer, nullptr);
  *static_cast<int *>(ManagedPointer) = 5;
  int Back = 0;
  expectOk(cudaMemcpyFromSymbol(&Back, &ManagedPointer, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Back, 5);
}

TEST_F(Registered, CallConfigurationsNest) {
  dim3 Grid, Block;
  size_t Shared = 0;
  cudaStream_t Stream = nullptr;
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(1, 2, 3), dim3(4), 5, cudaStreamLegacy), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(9), dim3(8), 7, nullptr), 0u);
  expectOk(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream));
  EXPECT_EQ(Grid.x, 9u);
  expectOk(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream));
  EXPECT_EQ(Grid.z, 3u);
  EXPECT_EQ(Shared, 5u);
  EXPECT_EQ(Stream, cudaStreamLegacy);
  EXPECT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
            cudaErrorMissingConfiguration);
}

TEST_F(Registered, KernelNodeGivesBackTheHostSymbol) {
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  cudaKernelNodeParams Params = {&Stub, dim3(2), dim3(64), 128, nullptr, nullptr}, Back = {};
  expectOk(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Params));
  expectOk(cudaGraphKernelNodeGetParams(Node, &Back));
  EXPECT_EQ(Back.func, &Stub);
  EXPECT_EQ(Back.blockDim.x, 64u);
  EXPECT_EQ(Back.sharedMemBytes, 128u);
  expectOk(cudaGraphDestroy(Graph));
}

TEST(Module, PtxNamesAreKnown) {
  startDriver();
  const char *Ptx =
      "// comment\n.version 8.0\n.target sm_90\n.visible .entry known(\n)\n{ ret; }\n";
  CUmodule Module = nullptr;
  CUfunction Function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&Module, Ptx), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&Function, Module, "known"), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  CUfunction Other = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&Other, Module, "unknown"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(Module), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(Simulator, SaysWhatItIs) {
  EXPECT_GE(gpuinstr_simulator_version(), 1);
  cudaDeviceProp Props;
  expectOk(cudaGetDeviceProperties(&Props, 0));
  EXPECT_STREQ(Props.name, "gpuinstr simulator");
  EXPECT_EQ(Props.totalGlobalMem, DeviceBytes);
  int Threads = 0;
  expectOk(cudaDeviceGetAttribute(&Threads, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT_EQ(Threads, Props.maxThreadsPerBlock);
}
