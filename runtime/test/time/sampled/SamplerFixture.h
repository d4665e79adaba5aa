// Launches and copies of one thread, on a device that can be looked into.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_TIME_SAMPLED_SAMPLERFIXTURE_H
#define GPUINSTR_TEST_TIME_SAMPLED_SAMPLERFIXTURE_H

#include "FakeDevice.h"
#include "calls/CallHooks.h"
#include "time/DeviceTimes.h"
#include "time/sampled/Sampler.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace gpuinstr::test {

class Sampler : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
    table();
    FakeDevice::install();
    Launch = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 10, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
    Copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 20, 0, GPUINSTR_SITE_CUDA_ERROR,
                    CopySlots | bit(GPUINSTR_SLOT_STREAM));
    Alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 5, 1, GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
    registerAll({Launch, Copy, Alloc});
    F.alloc(Alloc, 0x100000, 4096); // CUDA is up
    Hooks.mayFill = [](ThreadState &, uint64_t, bool) { return MayFill; };
  }
  /// Kernels that differ in nothing but their names.
  static void nameKernels() {
    static const gpuinstr_kernel kernels[] = {
        {sizeof(gpuinstr_kernel), 0, 1, 0, reinterpret_cast<void *>(0x4711), "one", "", nullptr},
        {sizeof(gpuinstr_kernel), 0, 2, 0, reinterpret_cast<void *>(0x4712), "two", "", nullptr}};
    static gpuinstr_module module = *registerAll({makeSite(GPUINSTR_OP_OTHER, "unused", 99)});
    module.kernels = kernels;
    module.num_kernels = 2;
    table().register_module(&module);
  }
  void launch(double ns, uint64_t stream = 5, int result = 0, uint64_t kernel = 0x4711) {
    F.frame.slot[GPUINSTR_SLOT_FUNC] = kernel;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    F.call(Launch, [&] {
      FakeDevice::work(ns);
      return result;
    });
  }
  void copy(uint64_t kind, uint64_t bytes, uint64_t stream) {
    F.frame.slot[GPUINSTR_SLOT_KIND] = kind;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
    F.copy(Copy, 0x100000, 0x200000, bytes);
  }
  /// Lets the device finish.
  void finish() {
    while (FakeDevice::BusyUntil > double(monotonicNs()))
      ;
    timing::collectTimes();
  }
  profile::DeviceTime timeAt(unsigned line) {
    profile::Profile p = profileNow();
    const profile::Site *site = siteAtLine(p, line);
    return site ? site->device : profile::DeviceTime();
  }
  int before() const { return FakeDevice::Records; }
  static inline bool MayFill = true;
  gpuinstr_site *Launch, *Copy, *Alloc;
  Function F;
};

} // namespace gpuinstr::test

#endif
