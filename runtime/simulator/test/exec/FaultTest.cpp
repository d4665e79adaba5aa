// What kernels do wrong, and what they print: errors as the device gives them.
// SPDX-License-Identifier: Apache-2.0
#include "exec/TestKernels.h"

#include <csignal>
#include <string>

using namespace gpuinstr::sim::test;

namespace {

class Fault : public EmbeddedTest {
protected:
  void TearDown() override {
    expectOk(cudaDeviceReset());
    cudaGetLastError();
    EmbeddedTest::TearDown();
  }

  /// What becomes of two blocks of \p threads threads, run at once: either may fail first. Prints
  /// on stderr go to Text.
  cudaError_t outcome(unsigned threads, std::vector<void *> values = {}, size_t shared = 0) {
    testing::internal::CaptureStderr();
    expectOk(launch(dim3(2), dim3(threads), std::move(values), shared));
    cudaError_t e = cudaDeviceSynchronize();
    Text = testing::internal::GetCapturedStderr();
    return e;
  }

  bool says(const char *part) const { return Text.find(part) != std::string::npos; }
  std::string Text;
};

/// What it does wrong, a sanitizer would stop it from: two blocks write to one bad address.
__attribute__((no_sanitize("undefined", "thread"))) void touch(gpuinstr_sim_thread *t,
                                                               void *const *args) {
  if (t->linear == 3)
    *argument<volatile int *>(args, 0) = 1;
}

__attribute__((no_sanitize("undefined"))) void touchNull() {
  volatile int *volatile nowhere = nullptr; // a compiler may drop what it sees to be undefined
  *nowhere = 1;
}

int deep(volatile char *above, int levels) {
  volatile char mine[512];
  mine[0] = *above;
  return levels ? deep(mine, levels - 1) + mine[0] : 0;
}

} // namespace

TEST_F(Fault, NullPointerIsAnIllegalAddressAndSticks) {
  carryFibers(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("kernel carried(): illegal access to address (nil) in block (")) << Text;
  EXPECT_TRUE(says("thread (3,0,0)")) << Text;
  void *p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 16), cudaErrorIllegalAddress);
  EXPECT_EQ(launch(dim3(1), dim3(1)), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorIllegalAddress);
  expectOk(cudaDeviceReset());
  expectOk(cudaMalloc(&p, 16));
  expectOk(cudaFree(p));
}

TEST_F(Fault, LoopKernelsToo) {
  carryLoop(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("illegal access to address (nil) in block")) << Text;
}

TEST_F(Fault, AMisalignedAccessSaysSo) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *arguments) {
    auto *p = *static_cast<char *const *>(arguments[0]) + 16 * t->linear;
    asm volatile("movaps %0, %%xmm0" : : "m"(*p) : "xmm0");
    asm volatile("movaps %%xmm0, 32(%0,%1,8)" : : "r"(p), "r"(uint64_t(4)) : "memory");
  });
  char *p = nullptr;
  expectOk(cudaMalloc(reinterpret_cast<void **>(&p), 4096));
  EXPECT_EQ(outcome(32, {p}), cudaSuccess);
  EXPECT_EQ(outcome(32, {p + 4}), cudaErrorMisalignedAddress);
  char address[64];
  std::snprintf(address, sizeof address, "misaligned access to address %p in ", p + 4);
  EXPECT_TRUE(says(address)) << Text;
}

TEST_F(Fault, AnAddressThatNoMemoryHasIsNotCalledNull) {
  carryFibers(touch);
  EXPECT_EQ(outcome(32, {reinterpret_cast<void *>(uint64_t(1) << 62)}), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("illegal access to an address far outside of all memory in block (")) << Text;
}

TEST_F(Fault, OverrunOfAnAllocation) {
  carryFibers(touch);
  char *p = nullptr;
  expectOk(cudaMalloc(reinterpret_cast<void **>(&p), 4096));
  expectOk(cudaMemset(p, 0, 4096));
  EXPECT_EQ(outcome(32, {p + 4092}), cudaSuccess);
  EXPECT_EQ(outcome(32, {p + 4096}), cudaErrorIllegalAddress);
}

TEST_F(Fault, UseAfterFree) {
  carryFibers(touch);
  char *p = nullptr;
  expectOk(cudaMalloc(reinterpret_cast<void **>(&p), 4096));
  expectOk(cudaFree(p));
  EXPECT_EQ(outcome(32, {p}), cudaErrorIllegalAddress);
}

TEST_F(Fault, OverrunOfSharedMemory) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) {
    *reinterpret_cast<volatile int *>(t->dynamic + t->dynamic_bytes) = 1;
  });
  EXPECT_EQ(outcome(1, {}, 128), cudaErrorIllegalAddress);
}

TEST_F(Fault, StackOverflow) {
  carryFibers([](gpuinstr_sim_thread *, void *const *) {
    char top = 1;
    deep(&top, 1 << 20);
  });
  EXPECT_EQ(outcome(2), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("stack overflow")) << Text;
}

TEST_F(Fault, LargerStacksByLimit) {
  expectOk(cudaDeviceSetLimit(cudaLimitStackSize, 256 * 1024));
  carryFibers([](gpuinstr_sim_thread *, void *const *) {
    char top = 1;
    deep(&top, 400);
  });
  EXPECT_EQ(outcome(2), cudaSuccess);
}

TEST_F(Fault, OfTheProgramGoesToTheProgram) {
  carryFibers(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress); // The handler is there now.
  EXPECT_EXIT(touchNull(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Fault, TrapIsALaunchFailure) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) { t->ops->trap(t); });
  EXPECT_EQ(outcome(32), cudaErrorLaunchFailure);
}

TEST_F(Fault, AssertionsOfABlockAreAllTold) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) {
    if (t->block[0] == 0 && t->linear >= 30)
      t->ops->assert_fail(t, "x < 30", "a.cu", 7, "void k(int)");
    t->ops->barrier(t, 0, 0);
  });
  EXPECT_EQ(outcome(32), cudaErrorAssert);
  EXPECT_EQ(Text,
            "a.cu:7: void k(int): block: [0,0,0], thread: [30,0,0] Assertion `x < 30` failed.\n"
            "a.cu:7: void k(int): block: [0,0,0], thread: [31,0,0] Assertion `x < 30` failed.\n");
}

TEST_F(Fault, ThreadsThatWaitForEachOtherForEver) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) {
    if (t->linear == 0)
      t->ops->barrier(t, 0, 0);
    else
      t->ops->warp_sync(t, 0xffffffff);
  });
  EXPECT_EQ(outcome(32), cudaErrorLaunchTimeout);
  EXPECT_TRUE(says("thread (0,0,0) at barrier 0; block (")) << Text;
  EXPECT_TRUE(says(",0,0), thread (1,0,0) in a warp operation with mask 0xffffffff")) << Text;
}

TEST_F(Fault, MaskWithoutTheCaller) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) { t->ops->warp_sync(t, 1); });
  EXPECT_EQ(outcome(2), cudaErrorIllegalInstruction);
  EXPECT_TRUE(says("mask 0x00000001")) << Text;
}

TEST_F(Fault, UnsupportedByName) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *) { t->ops->unsupported(t, "texture 'x'"); });
  EXPECT_EQ(outcome(2), cudaErrorNotSupported);
  EXPECT_TRUE(says("texture 'x' is not simulated")) << Text;
}

TEST_F(Fault, RefusedKernelIsNotLaunched) {
  carry(nullptr, 0, 0, "texture 'tex2D'");
  // The tests run with kernels=skip: with it a refused kernel counts as done, too.
  expectOk(launch(dim3(1), dim3(1)));
  expectOk(cudaDeviceSynchronize());
}

TEST_F(Fault, PrintsInTheOrderOfBlocksWhenTheHostWaits) {
  carryLoop([](gpuinstr_sim_thread *t, void *const *) {
    struct {
      unsigned block;
      double half;
      const char *name;
      long long big;
      int letter;
    } values = {t->block[0], t->linear + 0.5, "x", -5, 'a' + int(t->block[0])};
    int32_t count = t->ops->print(t, "%3u|%.2f|%s|%lld|%%|%c\n", &values);
    (void)count;
  });
  testing::internal::CaptureStdout();
  expectOk(launch(dim3(20), dim3(1)));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::printf("host\n");
  expectOk(cudaDeviceSynchronize());
  std::fflush(stdout);
  std::string out = testing::internal::GetCapturedStdout(), expected = "host\n";
  for (int i = 0; i < 20; ++i) {
    char line[64];
    std::snprintf(line, sizeof(line), "%3u|0.50|x|-5|%%|%c\n", i, 'a' + i);
    expected += line;
  }
  EXPECT_EQ(out, expected);
}

TEST_F(Fault, HeapIsLimited) {
  carryLoop([](gpuinstr_sim_thread *t, void *const *args) {
    void *small = t->ops->heap_alloc(t, 100), *huge = t->ops->heap_alloc(t, size_t(9) << 20);
    argument<int *>(args, 0)[0] += small && !huge && reinterpret_cast<uintptr_t>(small) % 16 == 0;
    t->ops->heap_free(t, small);
    t->ops->heap_free(t, huge);
  });
  OnDevice<int> out({0});
  expectOk(launch(dim3(1), dim3(4), {out.get()}));
  EXPECT_EQ(out.read()[0], 4);
}
