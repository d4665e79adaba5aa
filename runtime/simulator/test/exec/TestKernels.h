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

inline void runOne(gpuinstr_sim_thread *t, void *const *args, uint32_t) { Present(t, args); }

inline void runLoop(gpuinstr_sim_thread *first, void *const *args, uint32_t n) {
  gpuinstr_sim_thread t = *first;
  for (uint32_t i = 0; i < n; ++i) {
    t.linear = first->linear + i;
    t.thread[0] = t.linear % t.block_dim[0];
    t.thread[1] = t.linear / t.block_dim[0] % t.block_dim[1];
    t.thread[2] = t.linear / t.block_dim[0] / t.block_dim[1];
    Present(&t, args);
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

  void carryLoop(ThreadBody body) {
    Present = body;
    carry(runLoop, 0, 0);
  }
  void carryFibers(ThreadBody body, uint32_t sharedBytes = 0) {
    Present = body;
    carry(runOne, GPUINSTR_SIM_NEEDS_FIBERS, sharedBytes);
  }
  void carry(gpuinstr_sim_run *run, uint32_t flags, uint32_t sharedBytes,
             const char *refused = nullptr) {
    static const uint32_t empty[4] = {0xba55ed50, 0x100001, 0, 0}; // a fat binary of nothing
    static struct {
      int magic = 0x466243b1, version = 1;
      const void *data = empty;
      void *unused = nullptr;
    } wrapper;
    Kernel.stub = &Stub;
    Kernel.name = "_Z7carriedv";
    Kernel.run = refused ? nullptr : run;
    Kernel.refused = refused;
    Kernel.parameters = Parameters;
    Kernel.parameter_count = 4;
    Kernel.flags = flags;
    Kernel.static_shared_bytes = sharedBytes;
    Module.size = sizeof(Module);
    Module.abi_version = GPUINSTR_SIM_ABI_VERSION;
    Module.unit = "test.cu";
    Module.kernels = &Kernel;
    Module.kernel_count = 1;
    Module.shared_bytes = sharedBytes;
    gpuinstr_simulator_register(&Module);
    Handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(Handle, &Stub, &Stub, Kernel.name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(Handle);
  }

  cudaError_t launch(dim3 grid, dim3 block, std::vector<void *> values = {}, size_t shared = 0,
                     cudaStream_t stream = nullptr) {
    values.resize(4);
    std::vector<void *> pointers;
    for (void *&value : values)
      pointers.push_back(&value);
    return cudaLaunchKernel(&Stub, grid, block, pointers.data(), shared, stream);
  }

  char Stub = 0;
  void **Handle = nullptr;
  gpuinstr_sim_kernel Kernel = {};
  gpuinstr_sim_module Module = {};
  const gpuinstr_sim_parameter Parameters[4] = {{0, 8}, {8, 8}, {16, 8}, {24, 8}};
};

template <typename T> T argument(void *const *args, int i) { return *static_cast<T *>(args[i]); }
inline uint32_t globalIndex(const gpuinstr_sim_thread *t) {
  return t->block[0] * t->block_dim[0] * t->block_dim[1] * t->block_dim[2] + t->linear;
}

} // namespace gpuinstr::sim::test
