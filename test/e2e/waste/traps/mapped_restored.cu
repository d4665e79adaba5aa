// Two buffers in memory that the program mapped itself get the same bytes in each round. A kernel
// changes the one, so the host must bring it back; the other is only read.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@constant count=9
// EXPECT-NO: noop-copy line=@restored
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include "Inputs/physical.h"

constexpr int N = 1 << 15;

__host__ __device__ inline void addAt(unsigned i, float *to, const float *from) {
  to[i] += from[i];
}
__global__ void add(float *to, const float *from) { addAt(globalThread(), to, from); }
SIMULATED(add, addAt)

int main() {
  CHECK(cudaFree(nullptr));
  const Physical memory[2];
  float *mapped[2];
  for (int i = 0; i < 2; ++i) {
    const CUdeviceptr place = memory[i].reserve();
    memory[i].map(place);
    mapped[i] = reinterpret_cast<float *>(place);
  }
  const std::vector<float> start = noise(N), step = noise(N);
  std::vector<float> out(N);
  unsigned sum = 0;
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemcpy(mapped[0], start.data(), 4 * N, cudaMemcpyHostToDevice)); // @restored
    CHECK(cudaMemcpy(mapped[1], step.data(), 4 * N, cudaMemcpyHostToDevice));  // @constant
    add<<<N / 256, 256>>>(mapped[0], mapped[1]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), mapped[0], 4 * N, cudaMemcpyDeviceToHost));
    sum += checksum(out);
  }
  printf("%08x\n", sum);
  for (int i = 0; i < 2; ++i) {
    OK(cuMemUnmap(reinterpret_cast<CUdeviceptr>(mapped[i]), memory[i].bytes));
    OK(cuMemAddressFree(reinterpret_cast<CUdeviceptr>(mapped[i]), memory[i].bytes));
    memory[i].release();
  }
}
