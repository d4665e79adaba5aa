// A job of several processes, one GPU each, with two mistakes: one rank is slow, one leaks.
// SPDX-License-Identifier: Apache-2.0
//
// Needs no MPI: RANK and LOCAL_RANK come from torchrun, or from a loop in the shell
// (docs/guides/Clusters.md).
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

constexpr int N = 1 << 20;
constexpr int Steps = 200;

__global__ void relax(float *x, int n, int sweeps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int s = 0; s < sweeps; ++s)
      x[i] = 0.5f * x[i] + 1.0f;
}

static int number(const char *name) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

int main() {
  int rank = number("RANK"), local = number("LOCAL_RANK"), size = number("WORLD_SIZE"), devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(local % devices));
  std::vector<float> part(N, 1.0f);
  float *field = nullptr;
  CHECK(cudaMalloc(&field, N * sizeof(float)));
  CHECK(cudaMemcpy(field, part.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  // MISTAKE: the last rank has got far more work than the others, and they wait for it.
  int sweeps = rank == size - 1 ? 4000 : 40;
  for (int step = 0; step < Steps; ++step) {
    relax<<<N / 256, 256>>>(field, N, sweeps);
    CHECK(cudaDeviceSynchronize());
    if (rank == 0 && step % 50 == 0) {
      // MISTAKE: the first rank writes checkpoints, and nobody frees their buffers.
      float *checkpoint = nullptr;
      CHECK(cudaMalloc(&checkpoint, N * sizeof(float)));
      CHECK(cudaMemcpy(checkpoint, field, N * sizeof(float), cudaMemcpyDeviceToDevice));
    }
  }
  CHECK(cudaMemcpy(part.data(), field, N * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(field));
  std::printf("rank %d of %d on device %d: %.3f\n", rank, size, local % devices, part[0]);
}
