// Behind the wait comes a function in another file that only queues a set or a copy within the
// device. Silent: where a clock is read behind it, here, in the caller, there or in one more function
// elsewhere: without the wait the time would be another. Told: where none is, or the copy waits.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/queues.cu
// TWIN: FIXED
// EXPECT: needless-sync advice line=@untimed count=5 related=@set message="*, which stands behind the same work in its stream*"
// EXPECT: needless-sync advice line=@blocks count=5 related=@fetch message="*, which waits for the same work*"
// EXPECT-NO: needless-sync line=@timed
// EXPECT-NO: needless-sync line=@timedCopy
// EXPECT-NO: needless-sync line=@timedThere
// EXPECT-NO: needless-sync line=@timedAround
// EXPECT-NO: needless-sync line=@timedElsewhere
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include "Inputs/queues.h"

#include <time.h>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] += by; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

static void untimed(float *d_x, float *d_y) {
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
    WAIT(); // @untimed
    fill(d_y, i, N); // @set
    step<<<N / 256, 256>>>(d_y, 0.75f);
  }
}

static double blocks(float *d_x, float *x) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    total -= double(clock());
    step<<<N / 256, 256>>>(d_x, 0.5f);
    WAIT(); // @blocks
    fetch(x, d_x, N); // @fetch
    total += double(clock());
  }
  return total;
}

static double timed(float *d_x, float *d_y) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    total -= double(clock());
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @timed
    fill(d_y, i, N);
    total += double(clock());
    step<<<N / 256, 256>>>(d_y, 0.125f);
  }
  for (int i = 0; i < 5; ++i) {
    total -= double(clock());
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @timedCopy
    duplicate(d_y, d_x, N / 2);
    total += double(clock());
    step<<<N / 256, 256>>>(d_y, 0.125f);
  }
  return total;
}

static double timedThere(float *d_x, float *d_y) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @timedThere
    total += fillTimed(d_y, i, N);
    step<<<N / 256, 256>>>(d_y, 0.125f);
  }
  return total;
}

__attribute__((noinline)) static void around(float *d_x, float *d_y, int i) {
  step<<<N / 256, 256>>>(d_x, 0.5f);
  CHECK(cudaDeviceSynchronize()); // @timedAround
  fill(d_y, i, N);
}

static double timedElsewhere(float *d_x, float *d_y) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @timedElsewhere
    fill(d_y, i, N);
    total += stop();
    step<<<N / 256, 256>>>(d_y, 0.125f);
  }
  return total;
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  untimed(d_x, d_y);
  double total = blocks(d_x, x.data());
  total += timed(d_x, d_y) + timedThere(d_x, d_y) + timedElsewhere(d_x, d_y);
  for (int i = 0; i < 5; ++i) {
    total -= double(clock());
    around(d_x, d_y, i);
    total += double(clock());
    step<<<N / 256, 256>>>(d_y, 0.125f);
  }
  printf("%d %08x\n", total == total, checksum(x));
  CHECK(cudaMemcpy(x.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
