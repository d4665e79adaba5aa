// Kernels written by hand against gpuinstr/simulated_kernel.h, as the plugin would carry them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/Registration.h"
#include "support/SimulatorTest.h"

#include "gpuinstr/simulated_kernel.h"

extern "C" {
void gpuinstr_simulator_register(gpuinstr_sim_module *);
void gpuinstr_simulator_unregister(gpuinstr_sim_module *);
}

namespace gpuinstr::sim::test {

/// The work of one thread; fibers run it as it is, other kernels in a loop over the threads.
using ThreadBody = void (*)(gpuinstr_sim_thread *, void *const *);

/// What the embedded kernel does at present.
inline ThreadBody Present = nullptr;

inline void runOne(gpuinstr_sim_thread *T, void *const *Args, uint32_t) { Present(T, Args); }

inline void runLoop(gpuinstr_sim_thread *First, void *const *Args, uint32_t N) {
  gpuinstr_sim_thread T = *First;
  for (uint32_t I = 0; I < N; ++I) {
    T.linear = First->linear + I;
    T.thread[0] = T.linear % T.block_dim[0];
    T.thread[1] = T.linear / T.block_dim[0] % T.block_dim[1];
    T.thread[2] = T.linear / T.block_dim[0] / T.block_dim[1];
    Present(&T, Args);
  }
}

/// One embedded kernel with up to four pointer-sized parameters, registered while the test lives.
class EmbeddedTest : public testing::Test {
protected:
  void SetUp() override { expectOk(cudaSetDevice(0)); }
  void TearDown() override {
    cudaDeviceSynchronize();
    if (Handle) {
      __cudaUnregisterFatBinary(Handle);
      gpuinstr_simulator_unregister(&Module);
    }
  }

  void carryLoop(ThreadBody Body) {
    Present = Body;
    carry(runLoop, 0, 0);
  }
  void carryFibers(ThreadBody Body, uint32_t SharedBytes = 0) {
    Present = Body;
    carry(runOne, GPUINSTR_SIM_NEEDS_FIBERS, SharedBytes);
  }
  void carry(gpuinstr_sim_run *Run, uint32_t Flags, uint32_t SharedBytes,
             const char *Refused = nullptr) {
    static const uint32_t Empty[4] = {0xba55ed50, 0x100001, 0, 0}; // a fat binary of nothing
    static struct {
      int Magic = 0x466243b1, Version = 1;
      const void *Data = Empty;
      void *Unused = nullptr;
    } Wrapper;
    Kernel.stub = &Stub;
    Kernel.name = "_Z7carriedv";
    Kernel.run = Refused ? nullptr : Run;
    Kernel.refused = Refused;
    Kernel.parameters = Parameters;
    Kernel.parameter_count = 4;
    Kernel.flags = Flags;
    Kernel.static_shared_bytes = SharedBytes;
    Module.size = sizeof(Module);
    Module.abi_version = GPUINSTR_SIM_ABI_VERSION;
    Module.unit = "test.cu";
    Module.kernels = &Kernel;
    Module.kernel_count = 1;
    Module.shared_bytes = SharedBytes;
    gpuinstr_simulator_register(&Module);
    Handle = __cudaRegisterFatBinary(&Wrapper);
    __cudaRegisterFunction(Handle, &Stub, &Stub, Kernel.name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(Handle);
  }

  cudaError_t launch(dim3 Grid, dim3 Block, std::vector<void *> Values = {}, size_t Shared = 0,
                     cudaStream_t Stream = nullptr) {
    Values.resize(4);
    std::vector<void *> Pointers;
    for (void *&Value : Values)
      Pointers.push_back(&Value);
    return cudaLaunchKernel(&Stub, Grid, Block, Pointers.data(), Shared, Stream);
  }

  char Stub = 0;
  void **Handle = nullptr;
  gpuinstr_sim_kernel Kernel = {};
  gpuinstr_sim_module Module = {};
  const gpuinstr_sim_parameter Parameters[4] = {{0, 8}, {8, 8}, {16, 8}, {24, 8}};
};

template <typename T> T argument(void *const *Args, int I) { return *static_cast<T *>(Args[I]); }
inline uint32_t globalIndex(const gpuinstr_sim_thread *T) {
  return T->block[0] * T->block_dim[0] * T->block_dim[1] * T->block_dim[2] + T->linear;
}

} // namespace gpuinstr::sim::test
