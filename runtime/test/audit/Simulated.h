// The simulated device, as the engine's tests meet it: by the driver's functions.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_AUDIT_SIMULATED_H
#define GPUINSTR_TEST_AUDIT_SIMULATED_H

#include "audit/engine/DeviceHasher.h"
#include "cuda/Driver.h"
#include <atomic>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace gpuinstr::test {

/// The simulator's libcuda.so.1, loaded once; null when this build has none.
inline void *simulator() {
  static void *const library = [] {
    setenv("GPUINSTR_SIM", "kernels=skip", /*overwrite=*/0); // No kernel here carries code.
    return dlopen(GPUINSTR_SIMULATOR_DIR "/libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  }();
  return library;
}

/// Calls a driver function by its exported name.
template <class... Formal, class... Actual>
CUresult callDriver(CUresult (*)(Formal...), const char *name, Actual... actual) {
  auto function = reinterpret_cast<CUresult (*)(Formal...)>(dlsym(simulator(), name));
  return function ? function(actual...) : CUDA_ERROR_NOT_FOUND;
}
#define GPUINSTR_QUOTED_(x) #x
#define GPUINSTR_QUOTED(x) GPUINSTR_QUOTED_(x)
/// cuda.h's macros choose the current ABI.
#define CU(function, ...)                                                                          \
  gpuinstr::test::callDriver(decltype (&function)(nullptr), GPUINSTR_QUOTED(function), __VA_ARGS__)

/// What the stream gets from now on waits for the host: nothing may run, and no call may wait.
class HeldStream {
public:
  explicit HeldStream(CUstream stream) {
    CU(
        cuLaunchHostFunc, stream,
        [](void *flag) {
          while (!*static_cast<std::atomic<bool> *>(flag))
            std::this_thread::yield();
        },
        &Go);
  }
  void release() { Go = true; }
  ~HeldStream() { release(); }

private:
  std::atomic<bool> Go{false};
};

/// A context of its own, and the runtime's driver table pointing at the simulator.
class OnSimulator : public ::testing::Test {
protected:
  void SetUp() override {
    if (!simulator())
      GTEST_SKIP() << "the simulator is not built";
    ASSERT_EQ(CU(cuInit, 0u), CUDA_SUCCESS);
    ASSERT_TRUE(findDriver());
    ASSERT_EQ(CU(cuCtxCreate, &Context, nullptr, 0u, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    if (!Context)
      return;
    audit::dropEngine(uint64_t(Context));
    CU(cuCtxDestroy, Context);
  }
  uint64_t alloc(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(CU(cuMemAlloc, &address, bytes), CUDA_SUCCESS);
    return address;
  }
  void upload(uint64_t address, const std::vector<unsigned char> &data) {
    EXPECT_EQ(CU(cuMemcpyHtoD, address, data.data(), data.size()), CUDA_SUCCESS);
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream made = nullptr;
    EXPECT_EQ(CU(cuStreamCreate, &made, flags), CUDA_SUCCESS);
    return made;
  }

  CUcontext Context = nullptr;
};

} // namespace gpuinstr::test

#endif
