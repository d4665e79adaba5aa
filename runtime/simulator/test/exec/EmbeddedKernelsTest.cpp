// Embedded kernels run: loops, barriers, shared memory, order, streams.
// SPDX-License-Identifier: Apache-2.0
#include "exec/TestKernels.h"

#include <algorithm>
#include <numeric>

using namespace gpuinstr::sim::test;

namespace {

void addOne(gpuinstr_sim_thread *T, void *const *Args) {
  argument<int *>(Args, 0)[globalIndex(T)]++;
}

/// Turns each block's part of the data round, through shared memory.
void reverse(gpuinstr_sim_thread *T, void *const *Args) {
  int *Data = argument<int *>(Args, 0) + T->block[0] * T->block_dim[0];
  int *Shared = reinterpret_cast<int *>(T->dynamic_bytes ? T->dynamic : T->shared);
  Shared[T->linear] = Data[T->linear];
  T->ops->barrier(T, 0, 0);
  Data[T->linear] = Shared[T->block_dim[0] - 1 - T->linear];
}

std::vector<int> iota(int Count) {
  std::vector<int> Values(static_cast<size_t>(Count));
  std::iota(Values.begin(), Values.end(), 0);
  return Values;
}

std::vector<int> reversed(int Count, int Block) {
  std::vector<int> Values = iota(Count);
  for (int I = 0; I < Count; I += Block)
    std::reverse(Values.begin() + I, Values.begin() + I + Block);
  return Values;
}

} // namespace

TEST_F(EmbeddedTest, LoopKernelDoesEveryThread) {
  carryLoop(addOne);
  OnDevice<int> Data(iota(1000));
  expectOk(launch(dim3(10), dim3(10, 5, 2), {Data.get()}));
  std::vector<int> Expected = iota(1000);
  for (int &Value : Expected)
    ++Value;
  EXPECT_EQ(Data.read(), Expected);
}

TEST_F(EmbeddedTest, BarrierSeparatesWritesFromReads) {
  carryFibers(reverse, 256 * sizeof(int));
  OnDevice<int> Data(iota(2560));
  expectOk(launch(dim3(10), dim3(256), {Data.get()}));
  EXPECT_EQ(Data.read(), reversed(2560, 256));
  // The same with dynamic shared memory and a block that is no whole number of warps.
  OnDevice<int> Odd(iota(600));
  expectOk(launch(dim3(6), dim3(100), {Odd.get()}, 400));
  EXPECT_EQ(Odd.read(), reversed(600, 100));
}

TEST_F(EmbeddedTest, LargestBlock) {
  carryFibers(reverse, 1024 * sizeof(int));
  OnDevice<int> Data(iota(1024 * 40));
  expectOk(launch(dim3(40), dim3(1024), {Data.get()}));
  EXPECT_EQ(Data.read(), reversed(1024 * 40, 1024));
}

TEST_F(EmbeddedTest, BarrierVotes) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    int *Out = argument<int *>(Args, 0);
    uint32_t Odd = T->linear % 2;
    uint32_t Count = T->ops->barrier_vote(T, 0, 0, GPUINSTR_SIM_POPC, Odd);
    uint32_t All = T->ops->barrier_vote(T, 0, 0, GPUINSTR_SIM_ALL, Odd);
    uint32_t Any = T->ops->barrier_vote(T, 0, 0, GPUINSTR_SIM_ANY, Odd);
    Out[T->linear] = static_cast<int>(Count * 100 + All * 10 + Any);
  });
  OnDevice<int> Out(std::vector<int>(70, 0));
  expectOk(launch(dim3(1), dim3(70), {Out.get()}));
  EXPECT_EQ(Out.read(), std::vector<int>(70, 3501));
}

TEST_F(EmbeddedTest, EndedThreadsAreNotWaitedFor) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    if (T->linear % 3 == 0)
      return;
    if (T->linear % 3 == 1)
      T->ops->exit(T);
    T->ops->barrier(T, 0, 0);
    argument<int *>(Args, 0)[T->linear] = 1;
  });
  OnDevice<int> Out(std::vector<int>(96, 0));
  expectOk(launch(dim3(1), dim3(96), {Out.get()}));
  std::vector<int> Values = Out.read();
  EXPECT_EQ(std::accumulate(Values.begin(), Values.end(), 0), 32);
}

TEST_F(EmbeddedTest, ExitInALoopKernelEndsOneThread) {
  carryLoop([](gpuinstr_sim_thread *T, void *const *Args) {
    if (T->linear == 5)
      T->ops->exit(T);
    argument<int *>(Args, 0)[globalIndex(T)] = 1;
  });
  OnDevice<int> Out(std::vector<int>(32, 0));
  expectOk(launch(dim3(2), dim3(16), {Out.get()}));
  std::vector<int> Expected(32, 1);
  Expected[5] = Expected[21] = 0;
  EXPECT_EQ(Out.read(), Expected);
}

TEST_F(EmbeddedTest, LaterBlocksReadWhatEarlierOnesPublish) {
  // Look-back: block i waits for block i - 1.
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    int *Sum = argument<int *>(Args, 0);
    int Before = 0;
    while (T->block[0] && !(Before = __atomic_load_n(&Sum[T->block[0] - 1], __ATOMIC_ACQUIRE)))
      if (--T->budget == 0)
        T->ops->yield(T);
    __atomic_store_n(&Sum[T->block[0]], Before + 1, __ATOMIC_RELEASE);
  });
  OnDevice<int> Sum(std::vector<int>(500, 0));
  expectOk(launch(dim3(500), dim3(1), {Sum.get()}));
  EXPECT_EQ(Sum.read()[499], 500);
}

TEST_F(EmbeddedTest, EarlierBlocksMayWaitForLaterOnes) {
  // A barrier of the whole grid, made by hand: all blocks must be resident.
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    int *Count = argument<int *>(Args, 0);
    T->ops->barrier(T, 0, 0);
    if (T->linear == 0) {
      __atomic_add_fetch(Count, 1, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(Count, __ATOMIC_ACQUIRE) < static_cast<int>(T->grid_dim[0]))
        if (--T->budget == 0)
          T->ops->yield(T);
    }
    T->ops->barrier(T, 0, 0);
    __atomic_add_fetch(Count + 1, 1, __ATOMIC_RELAXED);
  });
  OnDevice<int> Count({0, 0});
  expectOk(launch(dim3(64), dim3(64), {Count.get()}));
  EXPECT_EQ(Count.read()[1], 64 * 64);
}

TEST_F(EmbeddedTest, SpinLockOfABlockEnds) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    int *Lock = argument<int *>(Args, 0), *Count = Lock + 1;
    for (;;) {
      int Free = 0;
      if (__atomic_compare_exchange_n(Lock, &Free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        break;
      if (--T->budget == 0)
        T->ops->yield(T);
    }
    int Value = *Count;
    T->ops->yield(T); // Somebody else runs while the lock is held.
    *Count = Value + 1;
    __atomic_store_n(Lock, 0, __ATOMIC_RELEASE);
  });
  OnDevice<int> Data({0, 0});
  expectOk(launch(dim3(4), dim3(64), {Data.get()}));
  EXPECT_EQ(Data.read()[1], 256);
}

TEST_F(EmbeddedTest, KernelRunsWhileTheHostGoesOn) {
  carryFibers([](gpuinstr_sim_thread *T, void *const *Args) {
    while (!__atomic_load_n(argument<int *>(Args, 0), __ATOMIC_ACQUIRE))
      if (--T->budget == 0)
        T->ops->yield(T);
    *argument<int *>(Args, 1) = 7;
  });
  int *Flag = nullptr;
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&Flag), 4));
  *Flag = 0;
  OnDevice<int> Data({0});
  cudaStream_t Stream = nullptr;
  expectOk(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
  expectOk(launch(dim3(1), dim3(1), {Flag, Data.get()}, 0, Stream));
  EXPECT_EQ(cudaStreamQuery(Stream), cudaErrorNotReady);
  __atomic_store_n(Flag, 1, __ATOMIC_RELEASE);
  expectOk(cudaStreamSynchronize(Stream));
  EXPECT_EQ(Data.read()[0], 7);
  expectOk(cudaStreamDestroy(Stream));
  expectOk(cudaFreeHost(Flag));
}

TEST_F(EmbeddedTest, GraphKeepsArguments) {
  carryLoop(addOne);
  OnDevice<int> Data({1, 2});
  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(launch(dim3(1), dim3(2), {Data.get()}, 0, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  expectOk(cudaGraphInstantiate(&Exec, Graph, 0));
  for (int Round = 0; Round < 3; ++Round)
    expectOk(cudaGraphLaunch(Exec, Stream));
  expectOk(cudaStreamSynchronize(Stream));
  EXPECT_EQ(Data.read(), (std::vector<int>{4, 5}));
  expectOk(cudaGraphExecDestroy(Exec));
  expectOk(cudaGraphDestroy(Graph));
  expectOk(cudaStreamDestroy(Stream));
}

namespace {

/// A device variable of a program, embedded: the host's shadow and the storage that kernels use.
class EmbeddedVariable : public EmbeddedTest {
protected:
  void SetUp() override {
    EmbeddedTest::SetUp();
    Storage[0] = 5;
    Storage[1] = 6;
    Variable.shadow = &Shadow;
    Variable.name = "variable";
    Variable.storage = Storage;
    Variable.bytes = sizeof(Storage);
    Module.variables = &Variable;
    Module.variable_count = 1;
    carryLoop([](gpuinstr_sim_thread *, void *const *) { ++Storage[0]; });
    __cudaRegisterVar(Handle, &Shadow, &Shadow, "variable", 0, sizeof(Storage), 0, 0);
  }
  char Shadow = 0;
  static int Storage[2];
  gpuinstr_sim_variable Variable = {};
};
int EmbeddedVariable::Storage[2];

} // namespace

TEST_F(EmbeddedVariable, HostAndKernelsShareItsStorage) {
  int Values[2] = {};
  expectOk(cudaMemcpyFromSymbol(Values, &Shadow, sizeof(Values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Values[0], 5);
  EXPECT_EQ(Values[1], 6);
  int Ten = 10;
  expectOk(cudaMemcpyToSymbol(&Shadow, &Ten, sizeof(Ten), 0, cudaMemcpyHostToDevice));
  expectOk(launch(dim3(1), dim3(3)));
  expectOk(cudaMemcpyFromSymbol(Values, &Shadow, sizeof(Values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Values[0], 13);
  void *Address = nullptr;
  size_t Bytes = 0;
  expectOk(cudaGetSymbolAddress(&Address, &Shadow));
  expectOk(cudaGetSymbolSize(&Bytes, &Shadow));
  EXPECT_EQ(Address, static_cast<void *>(Storage));
  EXPECT_EQ(Bytes, sizeof(Storage));
  expectOk(cudaMemset(Address, 0, Bytes));
  EXPECT_EQ(cudaMemset(Address, 0, Bytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(Address), cudaErrorInvalidValue);
  EXPECT_EQ(Storage[1], 0);
  // A reset gives back the initial value.
  expectOk(cudaDeviceReset());
  expectOk(cudaMemcpyFromSymbol(Values, &Shadow, sizeof(Values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Values[0], 5);
  EXPECT_EQ(Values[1], 6);
}

TEST_F(EmbeddedTest, LimitsOfTheKernelAreChecked) {
  Kernel.max_threads_per_block = 64;
  carryFibers(reverse, 40 * 1024);
  OnDevice<int> Data(iota(64));
  EXPECT_EQ(launch(dim3(1), dim3(65), {Data.get()}), cudaErrorInvalidValue);
  EXPECT_EQ(launch(dim3(1), dim3(64), {Data.get()}, 9 * 1024), cudaErrorInvalidValue);
  cudaGetLastError();
  expectOk(launch(dim3(1), dim3(64), {Data.get()}, 8 * 1024));
  cudaFuncAttributes Attributes = {};
  expectOk(cudaFuncGetAttributes(&Attributes, &Stub));
  EXPECT_EQ(Attributes.sharedSizeBytes, 40u * 1024);
  EXPECT_EQ(Attributes.maxThreadsPerBlock, 64);
  int Blocks = 0;
  expectOk(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, &Stub, 64, 0));
  EXPECT_EQ(Blocks, 5);
}

TEST_F(EmbeddedTest, OfAnotherVersionAreNotTaken) {
  testing::internal::CaptureStderr();
  gpuinstr_sim_module Other = {};
  Other.size = sizeof(Other);
  Other.abi_version = GPUINSTR_SIM_ABI_VERSION + 1;
  Other.unit = "other.cu";
  gpuinstr_simulator_register(&Other);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the kernels of other.cu were compiled by "
                                                        "another version"),
            std::string::npos);
}
