// The engine where the driver refuses: it stays away, and the program does not notice.
// SPDX-License-Identifier: Apache-2.0
#include "Simulated.h"
#include "audit/engine/ContextEngine.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::audit;

namespace {

DriverApi Real;
int LaunchResult = 0, LoadResult = 0, RegisterResult = 0, SynchronizeResult = 0;
unsigned Loads = 0, NotRelaxed = 0;
uint64_t FreeBytes = 0;

/// A driver whose calls fail on demand, and that notices calls outside of relaxed capture mode.
DriverApi failing() {
  DriverApi api = Real;
  static auto expectRelaxed = [] {
    int mode = 2; // relaxed: what it is already, if all is well
    Real.threadExchangeStreamCaptureMode(&mode);
    NotRelaxed += mode != 2;
    Real.threadExchangeStreamCaptureMode(&mode);
  };
  api.launchKernel = [](void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                        unsigned g, unsigned shared, void *stream, void **p, void **x) {
    expectRelaxed();
    return LaunchResult ? LaunchResult
                        : Real.launchKernel(f, a, b, c, d, e, g, shared, stream, p, x);
  };
  api.moduleLoadData = [](void **module, const void *image) {
    expectRelaxed();
    ++Loads;
    return LoadResult ? LoadResult : Real.moduleLoadData(module, image);
  };
  api.memHostRegister = [](void *memory, size_t bytes, unsigned flags) {
    expectRelaxed();
    return RegisterResult ? RegisterResult : Real.memHostRegister(memory, bytes, flags);
  };
  api.streamSynchronize = [](void *stream) {
    expectRelaxed();
    return SynchronizeResult ? SynchronizeResult : Real.streamSynchronize(stream);
  };
  api.streamIsCapturing = [](void *stream, int *status) {
    expectRelaxed();
    return Real.streamIsCapturing(stream, status);
  };
  api.memGetInfo = [](size_t *free, size_t *total) {
    int result = Real.memGetInfo(free, total);
    *free = FreeBytes ? FreeBytes : *free;
    return result;
  };
  return api;
}

class EngineFailureTest : public test::OnSimulator {
protected:
  void SetUp() override {
    OnSimulator::SetUp();
    if (!Context)
      return;
    Real = *driverApi();
    LaunchResult = LoadResult = RegisterResult = SynchronizeResult = 0;
    Loads = NotRelaxed = 0;
    FreeBytes = 0;
    useDriver(failing());
    Buffer.address = alloc(64);
    Buffer.width = 64;
  }
  void TearDown() override {
    if (Context) {
      EXPECT_EQ(NotRelaxed, 0u);
      useDriver(Real);
    }
    OnSimulator::TearDown();
  }
  EnqueueResult put(DeviceHasher *engine) {
    EnqueueResult why;
    Ticket ticket = engine->begin(why);
    if (!ticket)
      return why;
    why = engine->enqueue(ticket, false, Buffer, 0);
    EXPECT_EQ(engine->finish(ticket, 0), true) << "nothing is announced that does not come";
    EXPECT_EQ(engine->read(ticket).hasBefore, why == EnqueueResult::None);
    engine->release(ticket);
    return why;
  }
  cuda::Region Buffer;
};

TEST_F(EngineFailureTest, AFewFailuresInARowSwitchItOff) {
  DeviceHasher *engine = currentEngine();
  ASSERT_NE(engine, nullptr);
  LaunchResult = 701; // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
  EXPECT_EQ(put(engine), EnqueueResult::Failed);
  EXPECT_EQ(put(engine), EnqueueResult::Failed);
  LaunchResult = 0;
  EXPECT_EQ(put(engine), EnqueueResult::None);
  LaunchResult = 701;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(put(engine), EnqueueResult::Failed) << i;
  EXPECT_EQ(put(engine), EnqueueResult::NoDevice);
  EXPECT_EQ(currentEngine(), nullptr);
  LaunchResult = 0;
  EXPECT_EQ(currentEngine(), nullptr) << "for good";
  EXPECT_EQ(Loads, 1u);
}

TEST_F(EngineFailureTest, ACaptureThatBeginsMeanwhileIsNoFailure) {
  DeviceHasher *engine = currentEngine();
  ASSERT_NE(engine, nullptr);
  LaunchResult = 906; // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(put(engine), EnqueueResult::Capturing);
  LaunchResult = 0;
  EXPECT_EQ(put(engine), EnqueueResult::None);
}

TEST_F(EngineFailureTest, WhatCannotBeMadeIsTriedOnce) {
  LoadResult = 222; // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
  EXPECT_EQ(currentEngine(), nullptr);
  LoadResult = 0;
  EXPECT_EQ(currentEngine(), nullptr);
  EXPECT_EQ(currentEngine(false), nullptr);
  EXPECT_EQ(Loads, 1u);
}

TEST_F(EngineFailureTest, NoPinnedMemory) {
  RegisterResult = 2;
  EXPECT_EQ(currentEngine(), nullptr);
  EXPECT_EQ(Loads, 0u);
}

TEST_F(EngineFailureTest, ANearlyFullDeviceIsLeftAlone) {
  FreeBytes = 7 << 20;
  EXPECT_EQ(currentEngine(), nullptr);
  EXPECT_EQ(Loads, 0u);
}

TEST_F(EngineFailureTest, TheOptionCapsItsMemory) {
  ContextEngine engine;
  EXPECT_FALSE(engine.create(*driverApi(), 1 << 20));
  EXPECT_EQ(Loads, 0u);
  EXPECT_TRUE(engine.create(*driverApi(), 64 << 20));
  EXPECT_LE(engine.deviceBytes(), uint64_t(64) << 20);
}

TEST_F(EngineFailureTest, AnOldDriver) {
  DriverApi old = failing();
  old.ctxGetId = nullptr; // CUDA 12
  old.funcLoad = nullptr; // 12.4
  useDriver(old);
  DeviceHasher *engine = currentEngine();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(put(engine), EnqueueResult::None);
  EXPECT_EQ(currentEngine(), engine);
  DriverApi none = failing();
  none.launchKernel = nullptr;
  useDriver(none);
  CUcontext other = nullptr;
  ASSERT_EQ(CU(cuCtxCreate, &other, nullptr, 0u, 0), CUDA_SUCCESS);
  EXPECT_EQ(currentEngine(), nullptr);
  CU(cuCtxDestroy, other);
}

TEST_F(EngineFailureTest, FinishSaysWhenTheDriverFails) {
  DeviceHasher *engine = currentEngine();
  ASSERT_NE(engine, nullptr);
  CUstream s = stream();
  test::HeldStream hold(s);
  EnqueueResult why;
  Ticket ticket = engine->begin(why);
  ASSERT_EQ(engine->enqueue(ticket, false, Buffer, uint64_t(s)), EnqueueResult::None);
  SynchronizeResult = 700;
  EXPECT_FALSE(engine->finish(ticket, uint64_t(s)));
  SynchronizeResult = 0;
  hold.release();
  EXPECT_TRUE(engine->finish(ticket, uint64_t(s)));
  engine->release(ticket);
}

TEST_F(EngineFailureTest, AForkedChildHasNone) {
  DeviceHasher *engine = currentEngine();
  ASSERT_NE(engine, nullptr);
  pid_t child = fork();
  if (child == 0) {
    forgetEngines();
    // The parent's context answers no question here, as CUDA's would not.
    _exit(currentEngine(false) == nullptr ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(put(engine), EnqueueResult::None);
}

TEST_F(EngineFailureTest, NoContextNoEngine) {
  ASSERT_EQ(CU(cuCtxSetCurrent, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(currentEngine(), nullptr);
  EXPECT_EQ(Loads, 0u);
}

} // namespace
