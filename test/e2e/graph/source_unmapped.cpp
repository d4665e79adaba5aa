// A graph sets a flag in mapped memory behind its upload: another thread sees it and unmaps the source,
// at about the time at which this one comes back from the launch.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-STDOUT: 60
#include "../Inputs/check.h"

#include <atomic>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

constexpr int Rounds = 60;
constexpr size_t Bytes = 8 << 20;

static std::atomic<char *> source{nullptr};

/// Each source a little later: in some rounds it goes while the first thread is in its launch.
static void unmapBehind(const volatile unsigned char *flag, int *right) {
  for (int round = 1; round <= Rounds; ++round) {
    while (*flag != round)
      usleep(10);
    usleep(useconds_t(round * 20));
    char *buffer = source.load();
    *right += buffer[5] == round;
    munmap(buffer, Bytes);
    source.store(nullptr);
  }
}

int main() {
  void *d_data, *d_flag;
  unsigned char *flag;
  cudaStream_t stream;
  int right = 0;
  CHECK(cudaMalloc(&d_data, Bytes));
  CHECK(cudaHostAlloc(reinterpret_cast<void **>(&flag), 64, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&d_flag, flag, 0));
  CHECK(cudaStreamCreate(&stream));
  *flag = 0;
  std::thread other(unmapBehind, flag, &right);
  for (int round = 1; round <= Rounds; ++round) {
    auto *buffer = static_cast<char *>(mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
    buffer[5] = char(round);
    cudaGraph_t graph;
    cudaGraphNode_t upload, set;
    cudaGraphExec_t executable;
    cudaMemsetParams params = {};
    params.dst = d_flag;
    params.value = unsigned(round);
    params.elementSize = params.width = params.height = 1;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&upload, graph, nullptr, 0, d_data, buffer, Bytes,
                                   cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemsetNode(&set, graph, &upload, 1, &params));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    source.store(buffer);
    CHECK(cudaGraphLaunch(executable, stream));
    while (source.load())
      usleep(10);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
  }
  other.join();
  printf("%d\n", right);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(flag));
  CHECK(cudaFree(d_data));
}
