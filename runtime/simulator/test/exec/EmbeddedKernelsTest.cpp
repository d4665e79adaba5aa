// Embedded kernels run: loops, barriers, shared memory, order, streams.
// SPDX-License-Identifier: Apache-2.0
#include "exec/TestKernels.h"

#include <algorithm>
#include <numeric>

using namespace gpuinstr::sim::test;

namespace {

void addOne(gpuinstr_sim_thread *t, void *const *args) {
  argument<int *>(args, 0)[globalIndex(t)]++;
}

/// Turns each block's part of the data round, through shared memory.
void reverse(gpuinstr_sim_thread *t, void *const *args) {
  int *data = argument<int *>(args, 0) + t->block[0] * t->block_dim[0];
  int *shared = reinterpret_cast<int *>(t->dynamic_bytes ? t->dynamic : t->shared);
  shared[t->linear] = data[t->linear];
  t->ops->barrier(t, 0, 0);
  data[t->linear] = shared[t->block_dim[0] - 1 - t->linear];
}

std::vector<int> iota(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<int> reversed(int count, int block) {
  std::vector<int> values = iota(count);
  for (int i = 0; i < count; i += block)
    std::reverse(values.begin() + i, values.begin() + i + block);
  return values;
}

} // namespace

TEST_F(EmbeddedTest, LoopKernelDoesEveryThread) {
  carryLoop(addOne);
  OnDevice<int> data(iota(1000));
  expectOk(launch(dim3(10), dim3(10, 5, 2), {data.get()}));
  std::vector<int> expected = iota(1000);
  for (int &value : expected)
    ++value;
  EXPECT_EQ(data.read(), expected);
}

TEST_F(EmbeddedTest, BarrierSeparatesWritesFromReads) {
  carryFibers(reverse, 256 * sizeof(int));
  OnDevice<int> data(iota(2560));
  expectOk(launch(dim3(10), dim3(256), {data.get()}));
  EXPECT_EQ(data.read(), reversed(2560, 256));
  // The same with dynamic shared memory and a block that is no whole number of warps.
  OnDevice<int> odd(iota(600));
  expectOk(launch(dim3(6), dim3(100), {odd.get()}, 400));
  EXPECT_EQ(odd.read(), reversed(600, 100));
}

TEST_F(EmbeddedTest, LargestBlock) {
  carryFibers(reverse, 1024 * sizeof(int));
  OnDevice<int> data(iota(1024 * 40));
  expectOk(launch(dim3(40), dim3(1024), {data.get()}));
  EXPECT_EQ(data.read(), reversed(1024 * 40, 1024));
}

TEST_F(EmbeddedTest, BarrierVotes) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    int *out = argument<int *>(args, 0);
    uint32_t odd = t->linear % 2;
    uint32_t count = t->ops->barrier_vote(t, 0, 0, GPUINSTR_SIM_POPC, odd);
    uint32_t all = t->ops->barrier_vote(t, 0, 0, GPUINSTR_SIM_ALL, odd);
    uint32_t any = t->ops->barrier_vote(t, 0, 0, GPUINSTR_SIM_ANY, odd);
    out[t->linear] = static_cast<int>(count * 100 + all * 10 + any);
  });
  OnDevice<int> out(std::vector<int>(70, 0));
  expectOk(launch(dim3(1), dim3(70), {out.get()}));
  EXPECT_EQ(out.read(), std::vector<int>(70, 3501));
}

TEST_F(EmbeddedTest, EndedThreadsAreNotWaitedFor) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    if (t->linear % 3 == 0)
      return;
    if (t->linear % 3 == 1)
      t->ops->exit(t);
    t->ops->barrier(t, 0, 0);
    argument<int *>(args, 0)[t->linear] = 1;
  });
  OnDevice<int> out(std::vector<int>(96, 0));
  expectOk(launch(dim3(1), dim3(96), {out.get()}));
  std::vector<int> values = out.read();
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 32);
}

TEST_F(EmbeddedTest, ExitInALoopKernelEndsOneThread) {
  carryLoop([](gpuinstr_sim_thread *t, void *const *args) {
    if (t->linear == 5)
      t->ops->exit(t);
    argument<int *>(args, 0)[globalIndex(t)] = 1;
  });
  OnDevice<int> out(std::vector<int>(32, 0));
  expectOk(launch(dim3(2), dim3(16), {out.get()}));
  std::vector<int> expected(32, 1);
  expected[5] = expected[21] = 0;
  EXPECT_EQ(out.read(), expected);
}

TEST_F(EmbeddedTest, LaterBlocksReadWhatEarlierOnesPublish) {
  // Look-back: block i waits for block i - 1.
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    int *sum = argument<int *>(args, 0);
    int before = 0;
    while (t->block[0] && !(before = __atomic_load_n(&sum[t->block[0] - 1], __ATOMIC_ACQUIRE)))
      if (--t->budget == 0)
        t->ops->yield(t);
    __atomic_store_n(&sum[t->block[0]], before + 1, __ATOMIC_RELEASE);
  });
  OnDevice<int> sum(std::vector<int>(500, 0));
  expectOk(launch(dim3(500), dim3(1), {sum.get()}));
  EXPECT_EQ(sum.read()[499], 500);
}

TEST_F(EmbeddedTest, EarlierBlocksMayWaitForLaterOnes) {
  // A barrier of the whole grid, made by hand: all blocks must be resident.
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    int *count = argument<int *>(args, 0);
    t->ops->barrier(t, 0, 0);
    if (t->linear == 0) {
      __atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < static_cast<int>(t->grid_dim[0]))
        if (--t->budget == 0)
          t->ops->yield(t);
    }
    t->ops->barrier(t, 0, 0);
    __atomic_add_fetch(count + 1, 1, __ATOMIC_RELAXED);
  });
  OnDevice<int> count({0, 0});
  expectOk(launch(dim3(64), dim3(64), {count.get()}));
  EXPECT_EQ(count.read()[1], 64 * 64);
}

TEST_F(EmbeddedTest, SpinLockOfABlockEnds) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    int *lock = argument<int *>(args, 0), *count = lock + 1;
    for (;;) {
      int free = 0;
      if (__atomic_compare_exchange_n(lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        break;
      if (--t->budget == 0)
        t->ops->yield(t);
    }
    int value = *count;
    t->ops->yield(t); // Somebody else runs while the lock is held.
    *count = value + 1;
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  });
  OnDevice<int> data({0, 0});
  expectOk(launch(dim3(4), dim3(64), {data.get()}));
  EXPECT_EQ(data.read()[1], 256);
}

TEST_F(EmbeddedTest, KernelRunsWhileTheHostGoesOn) {
  carryFibers([](gpuinstr_sim_thread *t, void *const *args) {
    while (!__atomic_load_n(argument<int *>(args, 0), __ATOMIC_ACQUIRE))
      if (--t->budget == 0)
        t->ops->yield(t);
    *argument<int *>(args, 1) = 7;
  });
  int *flag = nullptr;
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&flag), 4));
  *flag = 0;
  OnDevice<int> data({0});
  cudaStream_t stream = nullptr;
  expectOk(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  expectOk(launch(dim3(1), dim3(1), {flag, data.get()}, 0, stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  expectOk(cudaStreamSynchronize(stream));
  EXPECT_EQ(data.read()[0], 7);
  expectOk(cudaStreamDestroy(stream));
  expectOk(cudaFreeHost(flag));
}

TEST_F(EmbeddedTest, GraphKeepsArguments) {
  carryLoop(addOne);
  OnDevice<int> data({1, 2});
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  expectOk(cudaStreamCreate(&stream));
  expectOk(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  expectOk(launch(dim3(1), dim3(2), {data.get()}, 0, stream));
  expectOk(cudaStreamEndCapture(stream, &graph));
  expectOk(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 0; round < 3; ++round)
    expectOk(cudaGraphLaunch(exec, stream));
  expectOk(cudaStreamSynchronize(stream));
  EXPECT_EQ(data.read(), (std::vector<int>{4, 5}));
  expectOk(cudaGraphExecDestroy(exec));
  expectOk(cudaGraphDestroy(graph));
  expectOk(cudaStreamDestroy(stream));
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
  int values[2] = {};
  expectOk(cudaMemcpyFromSymbol(values, &Shadow, sizeof(values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(values[1], 6);
  int ten = 10;
  expectOk(cudaMemcpyToSymbol(&Shadow, &ten, sizeof(ten), 0, cudaMemcpyHostToDevice));
  expectOk(launch(dim3(1), dim3(3)));
  expectOk(cudaMemcpyFromSymbol(values, &Shadow, sizeof(values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 13);
  void *address = nullptr;
  size_t bytes = 0;
  expectOk(cudaGetSymbolAddress(&address, &Shadow));
  expectOk(cudaGetSymbolSize(&bytes, &Shadow));
  EXPECT_EQ(address, static_cast<void *>(Storage));
  EXPECT_EQ(bytes, sizeof(Storage));
  expectOk(cudaMemset(address, 0, bytes));
  EXPECT_EQ(cudaMemset(address, 0, bytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(address), cudaErrorInvalidValue);
  EXPECT_EQ(Storage[1], 0);
  // A reset gives back the initial value.
  expectOk(cudaDeviceReset());
  expectOk(cudaMemcpyFromSymbol(values, &Shadow, sizeof(values), 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(values[1], 6);
}

TEST_F(EmbeddedTest, LimitsOfTheKernelAreChecked) {
  Kernel.max_threads_per_block = 64;
  carryFibers(reverse, 40 * 1024);
  OnDevice<int> data(iota(64));
  EXPECT_EQ(launch(dim3(1), dim3(65), {data.get()}), cudaErrorInvalidValue);
  EXPECT_EQ(launch(dim3(1), dim3(64), {data.get()}, 9 * 1024), cudaErrorInvalidValue);
  cudaGetLastError();
  expectOk(launch(dim3(1), dim3(64), {data.get()}, 8 * 1024));
  cudaFuncAttributes attributes = {};
  expectOk(cudaFuncGetAttributes(&attributes, &Stub));
  EXPECT_EQ(attributes.sharedSizeBytes, 40u * 1024);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64);
  int blocks = 0;
  expectOk(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &Stub, 64, 0));
  EXPECT_EQ(blocks, 5);
}

TEST_F(EmbeddedTest, OfAnotherVersionAreNotTaken) {
  testing::internal::CaptureStderr();
  gpuinstr_sim_module other = {};
  other.size = sizeof(other);
  other.abi_version = GPUINSTR_SIM_ABI_VERSION + 1;
  other.unit = "other.cu";
  gpuinstr_simulator_register(&other);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the kernels of other.cu were compiled by "
                                                        "another version"),
            std::string::npos);
}
