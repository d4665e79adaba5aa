// Trap: launches follow the wait, or a free, and it is needed all the same: for a time that is taken, for
// another thread, for what a function elsewhere does, for the other stream's kernel, for what was asked for before.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// WITH-PLAIN: Inputs/elsewhere.cpp
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <chrono>
#include <thread>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

void elsewhere(int);

static void run(float *d_x) { step<<<N / 256, 256>>>(d_x, 0.5f); }

static double timed(float *d_x) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    auto end = std::chrono::steady_clock::now();
    total += std::chrono::duration<double>(end - start).count();
  }
  return total;
}

/// The same, with memory made before the clock is read.
static double timedWithMemory(float *d_x) {
  double total = 0;
  float *d_made[5];
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMalloc(&d_made[i], 4 * N));
    total += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  for (float *d : d_made)
    CHECK(cudaFree(d));
  return total;
}

static void runAndWait(float *d_x) {
  run(d_x);
  CHECK(cudaDeviceSynchronize());
}

/// The clock is the caller's.
static double timedAround(float *d_x) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    runAndWait(d_x);
    total += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return total;
}

/// A clock that is read in each round, if at all; and one of the processor's own.
static double timedOnDemand(float *d_x, bool timing) {
  double seconds = 0;
  unsigned long long cycles = 0;
  for (int i = 0; i < 5; ++i) {
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    if (timing)
      seconds -= double(std::chrono::steady_clock::now().time_since_epoch().count());
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    cycles += __builtin_readcyclecounter();
    run(d_x);
  }
  return seconds + double(cycles);
}

static void timedByEvents(float *d_x, cudaEvent_t event) {
  for (int i = 0; i < 5; ++i) {
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(event, nullptr));
    run(d_x);
  }
}

/// What a function of a library does: the free at its end would wait, but too late.
static float meanOf(const float *d_x, float *result, double &seconds) {
  float *d_y, mean = 0;
  CHECK(cudaMalloc(&d_y, 4 * N));
  auto start = std::chrono::steady_clock::now();
  CHECK(cudaMemcpyAsync(d_y, d_x, 4 * N, cudaMemcpyDeviceToDevice, nullptr));
  step<<<N / 256, 256>>>(d_y, 0.5f);
  CHECK(cudaDeviceSynchronize());
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(cudaFree(d_y));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemcpyAsync(d_y, d_x, 4 * N, cudaMemcpyDeviceToDevice, nullptr));
  CHECK(cudaMemcpyAsync(result, d_y, 4 * N, cudaMemcpyDeviceToHost, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  for (int i = 0; i < N; ++i)
    mean += result[i] / N;
  CHECK(cudaFree(d_y));
  // So may a launch.
  CHECK(cudaMemcpyAsync(result, d_x, 4 * N, cudaMemcpyDeviceToHost, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  return mean + result[0];
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  double seconds = timed(d_x) + timedWithMemory(d_x) + timedAround(d_x);
  seconds += timedOnDemand(d_x, x[0] < 2);
  timedByEvents(d_x, event);
  for (int i = 0; i < 5; ++i) {
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    elsewhere(i);
  }
  std::atomic<int> done{0};
  std::thread other([&] {
    while (done < 5)
      std::this_thread::yield();
  });
  for (int i = 0; i < 5; ++i) {
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    ++done;
    std::this_thread::yield();
  }
  other.join();
  float *pinned, means = 0;
  std::vector<float> pageable(N);
  for (int i = 0; i < 4; ++i) {
    means += meanOf(d_x, pageable.data(), seconds);
    run(d_x);
  }
  CHECK(cudaMallocHost(&pinned, 4 * N));
  for (int i = 0; i < 4; ++i) {
    means += meanOf(d_x, pinned, seconds);
    run(d_x);
  }
  CHECK(cudaFreeHost(pinned));
  // From here on another stream has work, and then the host reads what kernels write.
  cudaStream_t stream;
  float *d_y, *shared;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemset(d_y, 0, 4 * N));
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256, 0, stream>>>(d_x, 0.5f);
    CHECK(cudaStreamSynchronize(stream));
    step<<<N / 256, 256>>>(d_x, 1.5f);
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaMallocManaged(&shared, 4 * N));
  for (int i = 0; i < N; ++i)
    shared[i] = x[i];
  float sum = 0;
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256>>>(shared, 0.5f);
    CHECK(cudaDeviceSynchronize());
    sum += shared[i];
    step<<<N / 256, 256>>>(d_x, 0.5f);
  }
  printf("%d %.3f %.3f\n", seconds > 0, sum, means);
  CHECK(cudaFree(shared));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_x));
  CHECK(cudaEventDestroy(event));
}
