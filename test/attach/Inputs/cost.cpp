// What a call takes: nanoseconds of each kind, the least of several rounds.
// SPDX-License-Identifier: Apache-2.0
//
// On the simulated device, where a launch is cheap and the difference of two runs is the tool's,
// and on a GPU.
#include "kernels.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::printf("%s: %d\n", what, int(result));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

constexpr unsigned Kernels = 16, Buffers = 64, Rounds = 200;
/// By-value arguments as libraries pass them: offsets and divisors, lists of tensors.
struct Small {
  unsigned words[148];
  CUdeviceptr data[2];
};
struct Large {
  CUdeviceptr data[110];
  unsigned words[760];
};

static CUfunction plain[Kernels], small, large;
static CUdeviceptr buffers[Buffers];
static Small smallArgument;
static Large largeArgument;
static char host[4096];
static CUstream stream;
static CUevent event;

static void prepare() {
  CUcontext context;
  CUmodule module;
  CHECK(useFirstDevice(context));
  std::string ptx = PTX_HEAD;
  for (unsigned i = 0; i < Kernels + 2; ++i)
    ptx += ".visible .entry k" + std::to_string(i) + "(" +
           (i < Kernels ? ".param .u64 p, .param .u64 q, .param .u64 r"
                        : ".param .align 8 .b8 p[" +
                              std::to_string(i == Kernels ? sizeof(Small) : sizeof(Large)) + "]") +
           ")\n{ ret; }\n";
  CHECK(cuModuleLoadData(&module, ptx.c_str()));
  auto find = [&](CUfunction &function, unsigned i, unsigned count, const size_t *sizes) {
    CHECK(findKernel(module, function, ("k" + std::to_string(i)).c_str(), nothing, count, sizes));
  };
  static const size_t pointers[] = {8, 8, 8}, smallBytes[] = {sizeof(Small)},
                      largeBytes[] = {sizeof(Large)};
  for (unsigned i = 0; i < Kernels; ++i)
    find(plain[i], i, 3, pointers);
  find(small, Kernels, 1, smallBytes);
  find(large, Kernels + 1, 1, largeBytes);
  for (CUdeviceptr &buffer : buffers)
    CHECK(cuMemAlloc(&buffer, 1 << 16));
  for (unsigned i = 0; i < 148; ++i)
    smallArgument.words[i] = i * 2654435761u;
  for (unsigned i = 0; i < 760; ++i)
    largeArgument.words[i] = i * 2654435761u;
  CHECK(cuStreamCreate(&stream, 0));
  CHECK(cuEventCreate(&event, 0));
}

static void launch(CUfunction function, void **arguments) {
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

static void pointers(unsigned i, unsigned kernel, unsigned spread) {
  CUdeviceptr a = buffers[i % spread], b = buffers[(i + 1) % spread] + 64 * (i % 512);
  CUdeviceptr c = buffers[(i + 2) % spread];
  void *arguments[] = {&a, &b, &c};
  launch(plain[kernel], arguments);
}

static void launchOne(unsigned) { pointers(0, 0, Buffers); }
static void launchMoving(unsigned i) { pointers(i, 0, Buffers); }
static void launchInTurn(unsigned i) { pointers(i, i % Kernels, 4); }
static void launchSmall(unsigned i) {
  smallArgument.data[0] = buffers[i % Buffers];
  smallArgument.data[1] = buffers[(i + 7) % Buffers];
  void *arguments[] = {&smallArgument};
  launch(small, arguments);
}
static void launchLarge(unsigned i) {
  for (CUdeviceptr &at : largeArgument.data)
    at = buffers[i++ % Buffers];
  void *arguments[] = {&largeArgument};
  launch(large, arguments);
}
static void copy(unsigned i) {
  host[0] = char(i);
  CHECK(cuMemcpyHtoD(buffers[0], host, sizeof host));
}
static void allocate(unsigned) {
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 4096));
  CHECK(cuMemFree(memory));
}
static void record(unsigned) { CHECK(cuEventRecord(event, stream)); }
static void wait(unsigned) { CHECK(cuStreamSynchronize(stream)); }
static void query(unsigned) { CHECK(cuStreamQuery(stream)); }

int main(int argc, char **argv) {
  unsigned calls = argc > 1 ? unsigned(std::atoi(argv[1])) : 20000;
  const char *only = argc > 2 ? argv[2] : "";
  prepare();
  const struct {
    const char *name;
    void (*run)(unsigned);
  } kinds[] = {{"launch", launchOne},
               {"launch, other addresses each time", launchMoving},
               {"launch, 16 kernels in turn", launchInTurn},
               {"launch, 600 bytes by value", launchSmall},
               {"launch, 3.9 kB by value", launchLarge},
               {"copy of 4 kB to the device", copy},
               {"allocation and free", allocate},
               {"event record", record},
               {"stream synchronize", wait},
               {"stream query", query}};
  for (auto &kind : kinds) {
    if (*only && std::strcmp(only, kind.name) != 0)
      continue;
    // Rounds of a millisecond or less: on a busy machine some are not disturbed.
    const unsigned each = calls / Rounds + 1;
    double least = 1e9;
    for (unsigned round = 0; round < Rounds; ++round) {
      CHECK(cuCtxSynchronize()); // a GPU's queue is empty
      auto begin = std::chrono::steady_clock::now();
      for (unsigned i = 0; i < each; ++i)
        kind.run(i);
      std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      least = std::min(least, took.count() / each);
    }
    std::printf("%s\t%.0f\n", kind.name, least);
  }
  return 0;
}
