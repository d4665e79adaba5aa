// Trap: two threads at a time, new ones in each round, allocate one buffer each, side by side. None
// of them does so again, though the next one's state may lie where the last one's lay.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// OPTIONS: audit=full verbose=1
// EXPECT-NO: alloc-churn
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <thread>

constexpr int N = 1 << 16, Rounds = 6;

__host__ __device__ inline void fillAt(unsigned i, float start, float *part) {
  part[i] = start + float(i);
}
__global__ void fill(float start, float *part) { fillAt(globalThread(), start, part); }
SIMULATED(fill, fillAt)

static void work(int number, std::atomic<int> *here, float *sum) {
  float *d_part, last;
  CHECK(cudaMalloc(&d_part, N * 4));
  ++*here;
  while (*here < 2) // both have theirs
    std::this_thread::yield();
  fill<<<N / 256, 256>>>(float(number), d_part);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&last, d_part + N - 1, 4, cudaMemcpyDeviceToHost));
  sum[number] += last;
  CHECK(cudaFree(d_part));
}

int main() {
  float sum[2] = {};
  for (int round = 0; round < Rounds; ++round) {
    std::atomic<int> here{0};
    std::thread one(work, 0, &here, sum), other(work, 1, &here, sum);
    one.join();
    other.join();
  }
  printf("%g\n", double(sum[0] + sum[1]));
}
