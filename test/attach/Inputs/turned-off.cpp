// Threads that launch, record and ask all the time, and between it make and free memory.
// SPDX-License-Identifier: Apache-2.0
//
// turned-off THREADS MILLISECONDS: prints the number of launches. turned-off lost: callbacks are
// turned off while a call is in progress, whose exit is lost.
#include "kernels.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static CUcontext context;
static CUfunction function;
static std::atomic<unsigned long> launches{0};
static std::atomic<bool> fails{false}, waits{false}, released{false};

static void check(CUresult result) {
  if (result != CUDA_SUCCESS)
    fails = true;
}

static void load() {
  CUmodule module;
  check(useFirstDevice(context));
  check(cuModuleLoadData(&module, PTX_HEAD ".visible .entry nothing(.param .u64 p)\n{\nret;\n}\n"));
  static const size_t sizes[] = {8};
  check(findKernel(module, function, "nothing", nothing, 1, sizes));
}

static void work(Clock::time_point end) {
  CUstream stream;
  CUevent event;
  check(cuCtxSetCurrent(context));
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  check(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  unsigned long mine = 0;
  while (Clock::now() < end) {
    CUdeviceptr memory;
    check(cuMemAlloc(&memory, 4096));
    void *arguments[] = {&memory};
    for (int i = 0; i < 100; ++i, ++mine) {
      check(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
      check(cuEventRecord(event, stream));
      cuStreamQuery(stream);
    }
    check(cuMemFree(memory));
  }
  check(cuStreamSynchronize(stream));
  check(cuEventDestroy(event));
  check(cuStreamDestroy(stream));
  launches += mine;
}

/// One thread waits inside a call; meanwhile the other turns the callbacks off and on.
static void lose() {
  auto watch = reinterpret_cast<int (*)(int)>(dlsym(
      dlopen(std::getenv("ATTACH_LIBRARY"), RTLD_LAZY | RTLD_NOLOAD), "gpuinstr_attach_watch"));
  std::thread other([watch] {
    while (!waits)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    watch(0);
    released = true;
  });
  CUstream stream;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  check(cuLaunchHostFunc(
      stream,
      [](void *) {
        waits = true;
        while (!released)
          std::this_thread::yield();
      },
      nullptr));
  check(cuStreamSynchronize(stream));
  other.join();
  watch(1);
  for (int i = 0; i < 10; ++i) {
    CUdeviceptr memory;
    check(cuMemAlloc(&memory, 4096)); // FREED
    check(cuMemFree(memory));
  }
  CUdeviceptr lost;
  check(cuMemAlloc(&lost, 512)); // LOST
  check(cuStreamDestroy(stream));
}

int main(int argc, char **argv) {
  load();
  if (!std::strcmp(argv[1], "lost")) {
    lose();
  } else {
    const auto end = Clock::now() + std::chrono::milliseconds(std::atoi(argv[2]));
    std::vector<std::thread> threads;
    for (int i = 0; i < std::atoi(argv[1]); ++i)
      threads.emplace_back(work, end);
    for (auto &thread : threads)
      thread.join();
  }
  std::printf("%s %lu\n", fails ? "failed" : "done", launches.load());
  return argc < 2;
}
