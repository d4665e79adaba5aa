// One function copies whichever way it is told, another one in a stream or not: their users' lines
// get the rows, for of such calls one run makes one. A function that copies there and back keeps
// its lines.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven variable=d_w function=main line=@again via-function=copy count=7
// EXPECT: noop-copy proven variable=d_bias function=main line=@bias via-function=Allocator::copy count=7
// EXPECT-SITE: function=thereAndBack line=@there calls=1
// EXPECT-ALL
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

constexpr int N = 1024, Rounds = 8;

enum class Way { Up, Down, Within };

static void copy(void *to, const void *from, size_t bytes, Way way) {
  switch (way) {
  case Way::Up:
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    break;
  case Way::Down:
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    break;
  case Way::Within:
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
    break;
  }
}

struct Allocator {
  virtual ~Allocator() {}
  virtual void copy(const void *from, void *to, size_t bytes, Way way, cudaStream_t in,
                    bool wait) const {
    if (way == Way::Up) {
      if (in)
        CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, in));
      else
        CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    } else if (way == Way::Down) {
      if (in)
        CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, in));
      else
        CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    }
    if (wait)
      CHECK(cudaDeviceSynchronize());
  }
};

static void thereAndBack(float *d_x, std::vector<float> &x) {
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost)); // @there
  x[0] += 1;
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
}

__host__ __device__ inline void useAt(unsigned i, const float *w, const float *bias, const float *x,
                                      float *sum) {
  sum[i] += w[i] * x[i] + bias[i];
}
__global__ void use(const float *w, const float *bias, const float *x, float *sum) {
  useAt(globalThread(), w, bias, x, sum);
}
SIMULATED(use, useAt)

int main() {
  std::vector<float> w = noise(N), bias = noise(N, 5), x = noise(N, 9), sum(N);
  float *d_w, *d_bias, *d_x, *d_sum;
  for (float **made : {&d_w, &d_bias, &d_x, &d_sum})
    CHECK(cudaMalloc(made, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  Allocator allocator;
#ifdef FIXED
  copy(d_w, w.data(), 4 * N, Way::Up);
  allocator.copy(bias.data(), d_bias, 4 * N, Way::Up, nullptr, false);
#endif
  for (int round = 0; round < Rounds; ++round) {
#ifndef FIXED
    copy(d_w, w.data(), 4 * N, Way::Up);                                 // @again
    allocator.copy(bias.data(), d_bias, 4 * N, Way::Up, nullptr, false); // @bias
#endif
    x[round] = float(round);
    copy(d_x, x.data(), 4 * N, Way::Up);
    use<<<N / 256, 256>>>(d_w, d_bias, d_x, d_sum);
    CHECK(cudaGetLastError());
  }
  thereAndBack(d_sum, sum);
  printf("%08x\n", checksum(sum));
  for (float *made : {d_w, d_bias, d_x, d_sum})
    CHECK(cudaFree(made));
}
