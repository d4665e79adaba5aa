// Runs all questions; also asks from exit handlers and static destructors.
// SPDX-License-Identifier: Apache-2.0
#include "Probe.h"

#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <unistd.h>

static const char *Current = "";
const char *section(const char *Name) {
  if (Name)
    Current = Name;
  return Current;
}

cudaError_t answer(const char *Question, cudaError_t E) {
  std::printf("%s: %s -> %s\n", Current, Question, cudaGetErrorName(E));
  return E;
}

CUresult answerDriver(const char *Question, CUresult R) {
  const char *Name = nullptr;
  cuGetErrorName(R, &Name);
  std::printf("%s: %s -> %s\n", Current, Question, Name ? Name : "?");
  return R;
}

void Gate::wait(void *Self) {
  while (!static_cast<Gate *>(Self)->Open)
    sched_yield();
}

__global__ void empty(int) {}

cudaError_t launchEmpty(cudaStream_t Stream, unsigned Grid, unsigned Block, size_t Shared) {
  int Zero = 0;
  void *Args[] = {&Zero};
  return cudaLaunchKernel((const void *)empty, dim3(Grid), dim3(Block), Args, Shared, Stream);
}

static void *Kept = nullptr;

/// Constructed before the first CUDA call, destroyed after CUDA's own exit handlers.
struct Static {
  Static() {}
  ~Static() {
    section("static destructor");
    ASK(cudaFree(Kept));
    ASK(cudaMalloc(&Kept, 16));
    ASK(cudaDeviceSynchronize());
    std::fflush(stdout);
  }
} Global;

static void atExit() {
  section("exit handler registered after the first call");
  ASK(cudaFree(Kept));
  ASK(cudaMalloc(&Kept, 16));
  std::fflush(stdout);
}

static void probeStart() {
  section("driver before cuInit");
  CUdeviceptr P = 0;
  ASK_DRIVER(cuMemAlloc(&P, 16));
  int Count = 0;
  ASK_DRIVER(cuDeviceGetCount(&Count));
  ASK_DRIVER(cuInit(1));
  section("before exit");
  ASK(cudaMalloc(&Kept, 16));
  ASK(cudaGetLastError());
  std::atexit(atExit);
}

/// Each group of questions has a process of its own: "probe NAME".
int main(int Count, char **Args) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  struct {
    const char *Name;
    void (*Run)();
  } Groups[] = {
      {"start", probeStart},       {"memory", probeMemory},   {"copies", probeCopies},
      {"pointers", probePointers}, {"pools", probePools},     {"launches", probeLaunches},
      {"streams", probeStreams},   {"capture", probeCapture}, {"aftermath", probeAftermath},
      {"graphs", probeGraphs},     {"device", probeDevice},   {"driver", probeDriver},
      {"reset", probeReset},       {"fork", probeFork}};
  for (auto &Group : Groups) {
    if (Count < 2)
      std::puts(Group.Name);
    else if (!std::strcmp(Args[1], Group.Name))
      Group.Run();
  }
  std::fflush(stdout);
  if (Count < 2 || std::strcmp(Args[1], "start"))
    _exit(0);
  return 0;
}
