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
    static int wrapper[4] = {0x466243b1, 1, 0, 0};
    Handle = __cudaRegisterFatBinary(wrapper);
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
  cudaKernel_t kernel = nullptr;
  expectOk(__cudaGetKernel(&kernel, &Stub));
  expectOk(__cudaLaunchKernel(kernel, dim3(1), dim3(32), nullptr, 0, nullptr));
  expectOk(cudaLaunchCooperativeKernel(&Stub, dim3(1), dim3(32), nullptr, 0, nullptr));
  cudaFunction_t function = nullptr;
  expectOk(cudaGetFuncBySymbol(&function, &Stub));
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  const char *name = nullptr;
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "_Z6kernelv");
  expectOk(cudaFuncGetName(&name, &Stub));
  EXPECT_STREQ(name, "_Z6kernelv");
}

TEST_F(Registered, StaleStreamIsRefused) {
  cudaStream_t stream = nullptr;
  expectOk(cudaStreamCreate(&stream));
  expectOk(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaLaunchKernel(&Stub, dim3(1), dim3(32), nullptr, 0, stream),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Registered, UnregisteredKernelsAreUnknown) {
  __cudaUnregisterFatBinary(Handle);
  Handle = nullptr;
  EXPECT_EQ(cudaLaunchKernel(&Stub, dim3(1), dim3(32), nullptr, 0, nullptr),
            cudaErrorInvalidResourceHandle);
  void *address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, &Variable), cudaErrorInvalidSymbol);
}

TEST_F(Registered, VariablesHaveZeroedMemoryOnEachDevice) {
  void *address[2] = {};
  for (int device = 0; device < 2; ++device) {
    expectOk(cudaSetDevice(device));
    expectOk(cudaGetSymbolAddress(&address[device], &Variable));
    int values[4] = {9, 9, 9, 9};
    expectOk(cudaMemcpyFromSymbol(values, &Variable, 16, 0, cudaMemcpyDeviceToHost));
    EXPECT_EQ(values[3], 0);
  }
  EXPECT_NE(address[0], address[1]);
  expectOk(cudaSetDevice(0));
  // A reset gives the variable new memory.
  int one = 1, back = 9;
  expectOk(cudaMemcpyToSymbol(&Variable, &one, 4, 8, cudaMemcpyHostToDevice));
  expectOk(cudaDeviceReset());
  expectOk(cudaMemcpyFromSymbol(&back, &Variable, 4, 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, 0);
}

TEST_F(Registered, ManagedVariableIsReachedThroughItsPointer) {
  ASSERT_EQ(__cudaInitModule(Handle), 1);
  ASSERT_NE(ManagedPointer, nullptr);
  *static_cast<int *>(ManagedPointer) = 5;
  int back = 0;
  expectOk(cudaMemcpyFromSymbol(&back, &ManagedPointer, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, 5);
}

/// As nvcc spells it in host code: *pointer for the variable.
TEST_F(Registered, ManagedVariableIsASymbolByItsMemoryToo) {
  int one = 7;
  EXPECT_EQ(cudaMemcpyToSymbol(&one, &one, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  ASSERT_EQ(__cudaInitModule(Handle), 1);
  expectOk(cudaMemcpyToSymbol(ManagedPointer, &one, 4, 4, cudaMemcpyHostToDevice));
  EXPECT_EQ(static_cast<int *>(ManagedPointer)[1], 7);
  void *address = nullptr;
  size_t size = 0;
  expectOk(cudaGetSymbolAddress(&address, ManagedPointer));
  expectOk(cudaGetSymbolSize(&size, ManagedPointer));
  EXPECT_EQ(address, ManagedPointer);
  EXPECT_EQ(size, 8u);
}

TEST_F(Registered, CallConfigurationsNest) {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(1, 2, 3), dim3(4), 5, cudaStreamLegacy), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(9), dim3(8), 7, nullptr), 0u);
  expectOk(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQ(grid.x, 9u);
  expectOk(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQ(grid.z, 3u);
  EXPECT_EQ(shared, 5u);
  EXPECT_EQ(stream, cudaStreamLegacy);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorMissingConfiguration);
}

TEST_F(Registered, KernelNodeGivesBackTheHostSymbol) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  expectOk(cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams params = {&Stub, dim3(2), dim3(64), 128, nullptr, nullptr}, back = {};
  expectOk(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  expectOk(cudaGraphKernelNodeGetParams(node, &back));
  EXPECT_EQ(back.func, &Stub);
  EXPECT_EQ(back.blockDim.x, 64u);
  EXPECT_EQ(back.sharedMemBytes, 128u);
  expectOk(cudaGraphDestroy(graph));
}

TEST(Module, PtxNamesAreKnown) {
  startDriver();
  const char *ptx =
      "// comment\n.version 8.0\n.target sm_90\n.visible .entry known(\n)\n{ ret; }\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "known"), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  CUfunction other = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&other, module, "unknown"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(Simulator, SaysWhatItIs) {
  EXPECT_GE(gpuinstr_simulator_version(), 1);
  cudaDeviceProp props;
  expectOk(cudaGetDeviceProperties(&props, 0));
  EXPECT_STREQ(props.name, "gpuinstr simulator");
  EXPECT_EQ(props.totalGlobalMem, DeviceBytes);
  int threads = 0;
  expectOk(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT_EQ(threads, props.maxThreadsPerBlock);
}
