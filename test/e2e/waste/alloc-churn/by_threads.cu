// Each of four threads allocates and frees its own temporary in every round, side by side with the
// others: one buffer for each would do.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// TWIN: FIXED
// OPTIONS: audit=full verbose=1
// EXPECT: alloc-churn advice function=work line=@alloc variable=d_part count=24 bytes=6MiB
// EXPECT-ALL
// EXPECT-NO[twin]: alloc-churn
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <condition_variable>
#include <mutex>
#include <thread>

constexpr int N = 1 << 16, Threads = 4, Rounds = 6;

__host__ __device__ inline void fillAt(unsigned i, float start, float *part) {
  part[i] = start + float(i);
}
__global__ void fill(float start, float *part) { fillAt(globalThread(), start, part); }
SIMULATED(fill, fillAt)

/// Lets all go on together.
static void meet() {
  static std::mutex mutex;
  static std::condition_variable changed;
  static int here = 0, meetings = 0;
  std::unique_lock<std::mutex> lock(mutex);
  const int meeting = meetings;
  if (++here == Threads) {
    here = 0;
    ++meetings;
    changed.notify_all();
  } else
    changed.wait(lock, [&] { return meetings != meeting; });
}

static void work(int number, float *sum) {
#ifdef FIXED // two live at a time, in turn: neither can be kept instead of the other
  float *before = nullptr;
#endif
  for (int round = 0; round < Rounds; ++round) {
    float *d_part, last;
    CHECK(cudaMalloc(&d_part, N * 4)); // @alloc
    meet();
    fill<<<N / 256, 256>>>(float(number + round), d_part);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&last, d_part + N - 1, 4, cudaMemcpyDeviceToHost));
    sum[number] += last;
#ifdef FIXED
    CHECK(cudaFree(before));
    before = d_part;
#else
    CHECK(cudaFree(d_part));
#endif
  }
#ifdef FIXED
  CHECK(cudaFree(before));
#endif
}

int main() {
  float sum[Threads] = {};
  std::thread threads[Threads];
  for (int i = 0; i < Threads; ++i)
    threads[i] = std::thread(work, i, sum);
  for (std::thread &thread : threads)
    thread.join();
  printf("%g\n", double(sum[0] + sum[1] + sum[2] + sum[3]));
}
