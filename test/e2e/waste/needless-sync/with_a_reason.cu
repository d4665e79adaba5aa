// Trap: launches follow the wait, and it is needed all the same: for a time that is taken, for
// another thread, for what a function elsewhere does, for the other stream's kernel.
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

static void timedByEvents(float *d_x, cudaEvent_t event) {
  for (int i = 0; i < 5; ++i) {
    run(d_x);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(event, nullptr));
    run(d_x);
  }
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  double seconds = timed(d_x);
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
  printf("%d %.3f\n", seconds > 0, sum);
  CHECK(cudaFree(shared));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_x));
  CHECK(cudaEventDestroy(event));
}
