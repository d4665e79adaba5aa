// A host function hands a download's destination to another thread, which unmaps it at about the time
// at which this one has waited for the copy: nobody may read it then.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda -pthread
// OPTIONS: audit=full
// EXPECT-STDOUT: 60
#include "../Inputs/check.h"
#include "../waste/traps/Inputs/physical.h"

#include <atomic>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

constexpr int Rounds = 60;

static std::atomic<char *> handedOver{nullptr};

static void handOver(void *buffer) { handedOver.store(static_cast<char *>(buffer)); }

/// Each buffer after another while: in some rounds it goes while the first thread is in its wait.
static void useAndUnmap(size_t bytes, int *right) {
  for (int round = 0; round < Rounds; ++round) {
    char *buffer;
    while (!(buffer = handedOver.exchange(nullptr)))
      usleep(10);
    usleep(useconds_t(round * 50));
    *right += buffer[5] == 3;
    CHECK(cudaHostUnregister(buffer));
    munmap(buffer, bytes);
  }
}

int main() {
  CHECK(cudaFree(nullptr));
  Physical memory; // no cudaMalloc made it: what copies bring from there the host's bytes tell
  const size_t bytes = memory.bytes;
  const CUdeviceptr device = memory.reserve();
  memory.map(device);
  CHECK(cudaMemset(reinterpret_cast<void *>(device), 3, bytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int right = 0;
  std::thread user(useAndUnmap, bytes, &right);
  for (int round = 0; round < Rounds; ++round) {
    void *buffer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    CHECK(cudaHostRegister(buffer, bytes, 0));
    CHECK(cudaMemcpyAsync(buffer, reinterpret_cast<void *>(device), bytes, cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaLaunchHostFunc(stream, handOver, buffer));
    CHECK(cudaStreamSynchronize(stream));
    while (handedOver.load())
      usleep(10);
  }
  user.join();
  printf("%d\n", right);
  CHECK(cudaStreamDestroy(stream));
  OK(cuMemUnmap(device, bytes));
  OK(cuMemAddressFree(device, bytes));
  memory.release();
}
