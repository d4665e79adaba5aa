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

  /// What becomes of two blocks of \p Threads threads, run at once: either may fail first. Prints
  /// on stderr go to Text.
  cudaError_t outcome(unsigned Threads, std::vector<void *> Values = {}, size_t Shared = 0) {
    testing::internal::CaptureStderr();
    expectOk(launch(dim3(2), dim3(Threads), std::move(Values), Shared));
    cudaError_t E = cudaDeviceSynchronize();
    Text = testing::internal::GetCapturedStderr();
    return E;
  }

  bool says(const char *Part) const { return Text.find(Part) != std::string::npos; }
  std::string Text;
};

void touch(gpuinstr_sim_thread *T, void *const *Args) {
  if (T->linear == 3)
    *argument<volatile int *>(Args, 0) = 1;
}

int deep(volatile char *Above, int Levels) {
  volatile char Mine[512];
  Mine[0] = *Above;
  return Levels ? deep(Mine, Levels - 1) + Mine[0] : 0;
}

} // namespace

TEST_F(Fault, NullPointerIsAnIllegalAddressAndSticks) {
  carryFibers(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("kernel carried(): illegal access to address (nil) in block (")) << Text;
  EXPECT_TRUE(says("thread (3,0,0)")) << Text;
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, 16), cudaErrorIllegalAddress);
  EXPECT_EQ(launch(dim3(1), dim3(1)), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorIllegalAddress);
  expectOk(cudaDeviceReset());
  expectOk(cudaMalloc(&P, 16));
  expectOk(cudaFree(P));
}

TEST_F(Fault, LoopKernelsToo) {
  carryLoop(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("illegal access to address (nil) in block")) << Text;
}

TEST_F(Fault, OverrunOfAnAllocation) {
  carryFibers(touch);
  char *P = nullptr;
  expectOk(cudaMalloc(reinterpret_cast<void **>(&P), 4096));
  expectOk(cudaMemset(P, 0, 4096));
  EXPECT_EQ(outcome(32, {P + 4092}), cudaSuccess);
  EXPECT_EQ(outcome(32, {P + 4096}), cudaErrorIllegalAddress);
}

TEST_F(Fault, UseAfterFree) {
  carryFibers(touch);
  char *P = nullptr;
  expectOk(cudaMalloc(reinterpret_cast<void **>(&P), 4096));
  expectOk(cudaFree(P));
  EXPECT_EQ(outcome(32, {P}), cudaErrorIllegalAddress);
}

TEST_F(Fault, OverrunOfSharedMemory) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) {
    *reinterpret_cast<volatile int *>(T->dynamic + T->dynamic_bytes) = 1;
  });
  EXPECT_EQ(outcome(1, {}, 128), cudaErrorIllegalAddress);
}

TEST_F(Fault, StackOverflow) {
  carryFibers([](gpuinstr_sim_thread *, void *const *) {
    char Top = 1;
    deep(&Top, 1 << 20);
  });
  EXPECT_EQ(outcome(2), cudaErrorIllegalAddress);
  EXPECT_TRUE(says("stack overflow")) << Text;
}

TEST_F(Fault, LargerStacksByLimit) {
  expectOk(cudaDeviceSetLimit(cudaLimitStackSize, 256 * 1024));
  carryFibers([](gpuinstr_sim_thread *, void *const *) {
    char Top = 1;
    deep(&Top, 400);
  });
  EXPECT_EQ(outcome(2), cudaSuccess);
}

TEST_F(Fault, OfTheProgramGoesToTheProgram) {
  carryFibers(touch);
  EXPECT_EQ(outcome(32, {nullptr}), cudaErrorIllegalAddress); // The handler is there now.
  EXPECT_EXIT(*static_cast<volatile int *>(nullptr) = 1, testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Fault, TrapIsALaunchFailure) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) { T->ops->trap(T); });
  EXPECT_EQ(outcome(32), cudaErrorLaunchFailure);
}

TEST_F(Fault, AssertionsOfABlockAreAllTold) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) {
    if (T->block[0] == 0 && T->linear >= 30)
      T->ops->assert_fail(T, "x < 30", "a.cu", 7, "void k(int)");
    T->ops->barrier(T, 0, 0);
  });
  EXPECT_EQ(outcome(32), cudaErrorAssert);
  EXPECT_EQ(Text,
            "a.cu:7: void k(int): block: [0,0,0], thread: [30,0,0] Assertion `x < 30` failed.\n"
            "a.cu:7: void k(int): block: [0,0,0], thread: [31,0,0] Assertion `x < 30` failed.\n");
}

TEST_F(Fault, ThreadsThatWaitForEachOtherForEver) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) {
    if (T->linear == 0)
      T->ops->barrier(T, 0, 0);
    else
      T->ops->warp_sync(T, 0xffffffff);
  });
  EXPECT_EQ(outcome(32), cudaErrorLaunchTimeout);
  EXPECT_TRUE(says("thread (0,0,0) at barrier 0; block (")) << Text;
  EXPECT_TRUE(says(",0,0), thread (1,0,0) in a warp operation with mask 0xffffffff")) << Text;
}

TEST_F(Fault, MaskWithoutTheCaller) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) { T->ops->warp_sync(T, 1); });
  EXPECT_EQ(outcome(2), cudaErrorIllegalInstruction);
  EXPECT_TRUE(says("mask 0x00000001")) << Text;
}

TEST_F(Fault, UnsupportedByName) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *) { T->ops->unsupported(T, "texture 'x'"); });
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
  carryLoop([](gpuinstr_sim_thread *T, void *const *) {
    struct {
      unsigned Block;
      double Half;
      const char *Name;
      long long Big;
    } Values = {T->block[0], T->linear + 0.5, "x", -5};
    int32_t Count = T->ops->print(T, "%3u|%.2f|%s|%lld|%%|%c\n", &Values);
    (void)Count;
  });
  testing::internal::CaptureStdout();
  expectOk(launch(dim3(20), dim3(1)));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::printf("host\n");
  expectOk(cudaDeviceSynchronize());
  std::fflush(stdout);
  std::string Out = testing::internal::GetCapturedStdout(), Expected = "host\n";
  for (int I = 0; I < 20; ++I) {
    char Line[64];
    std::snprintf(Line, sizeof(Line), "%3u|0.50|x|-5|%%|", I);
    Expected += Line;
    Expected += Out.empty() ? "" : Out.substr(Expected.size(), 1) + "\n";
  }
  EXPECT_EQ(Out, Expected);
}

TEST_F(Fault, HeapIsLimited) {
  carryLoop([](gpuinstr_sim_thread *T, void *const *Args) {
    void *Small = T->ops->heap_alloc(T, 100), *Huge = T->ops->heap_alloc(T, size_t(9) << 20);
    argument<int *>(Args, 0)[0] += Small && !Huge && reinterpret_cast<uintptr_t>(Small) % 16 == 0;
    T->ops->heap_free(T, Small);
    T->ops->heap_free(T, Huge);
  });
  OnDevice<int> Out({0});
  expectOk(launch(dim3(1), dim3(4), {Out.get()}));
  EXPECT_EQ(Out.read()[0], 4);
}
