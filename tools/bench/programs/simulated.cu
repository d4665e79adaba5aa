// The simulated device against plain C++: the same work by kernels and by loops, one thread each.
// SPDX-License-Identifier: Apache-2.0
//
// Started by tools/bench/simulator. Times are the least processor time of several rounds, in ms.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int Tile = 16, Side = 256, Count = 1 << 22, Rounds = 7;

#define CHECK(call)                                                                                \
  if (cudaError_t e = (call)) {                                                                    \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                \
    std::exit(1);                                                                                  \
  }

__global__ void scale(const float *in, float *out, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * in[i] + out[i];
}

/// With fewer threads than elements.
__global__ void scaleStride(const float *in, float *out, float by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = by * in[i] + out[i];
}

__attribute__((noinline)) void scaleLoop(const float *in, float *out, float by, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = by * in[i] + out[i];
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  float sum = 0;
  for (int k = 0; k < n; k += Tile) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// As each thread's work is: one element after the other.
__attribute__((noinline)) void multiplyLoop(const float *a, const float *b, float *c, int n) {
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
}

__global__ void reduce(const float *in, float *out, int perBlock) {
  __shared__ float warps[32];
  const float *mine = in + size_t(blockIdx.x) * perBlock;
  float sum = 0;
  for (int i = threadIdx.x; i < perBlock; i += blockDim.x)
    sum += mine[i];
  for (int by = 16; by; by /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, by);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    for (int by = 16; by; by /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, by);
    if (threadIdx.x == 0)
      out[blockIdx.x] = sum;
  }
}

__attribute__((noinline)) void reduceLoop(const float *in, float *out, int perBlock, int blocks) {
  for (int block = 0; block < blocks; ++block) {
    float sum = 0;
    for (int i = 0; i < perBlock; ++i)
      sum += in[size_t(block) * perBlock + i];
    out[block] = sum;
  }
}

double processorMs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

template <typename F> double least(F &&work) {
  double best = 1e30;
  for (int round = 0; round < Rounds; ++round) {
    double began = processorMs();
    work();
    best = std::min(best, processorMs() - began);
  }
  return best;
}

void compare(const char *name, double kernel, double loop, const char *aim, bool right) {
  std::printf("%-28s %10.2f %10.2f %8.2f   %s%s\n", name, kernel, loop, kernel / loop, aim,
              right ? "" : "   WRONG RESULT");
  if (!right)
    std::exit(1);
}

std::vector<float> read(const float *device, size_t count) {
  std::vector<float> values(count);
  CHECK(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
  return values;
}

bool near(const std::vector<float> &a, const std::vector<float> &b, float within) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > within * std::max(1.0f, std::fabs(b[i])))
      return false;
  return true;
}

} // namespace

int main() {
  std::vector<float> in(Count), out(Count);
  for (int i = 0; i < Count; ++i)
    in[i] = float(i % 17) / 16;
  float *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, Count * sizeof(float)));
  CHECK(cudaMalloc(&b, Count * sizeof(float)));
  CHECK(cudaMemcpy(a, in.data(), Count * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(b, 0, Count * sizeof(float)));
  std::printf("%-28s %10s %10s %8s   aim\n", "", "kernel ms", "loop ms", "ratio");

  double kernel = least([&] {
    scale<<<Count / 256, 256>>>(a, b, 0.5f, Count);
    CHECK(cudaDeviceSynchronize());
  });
  double loop = least([&] { scaleLoop(in.data(), out.data(), 0.5f, Count); });
  compare("element-wise", kernel, loop, "2", near(read(b, Count), out, 1e-6f));

  CHECK(cudaMemset(b, 0, Count * sizeof(float)));
  std::fill(out.begin(), out.end(), 0.0f);
  kernel = least([&] {
    scaleStride<<<512, 256>>>(a, b, 0.5f, Count);
    CHECK(cudaDeviceSynchronize());
  });
  loop = least([&] { scaleLoop(in.data(), out.data(), 0.5f, Count); });
  compare("the same, grid-stride loop", kernel, loop, "-", near(read(b, Count), out, 1e-6f));

  constexpr int Blocks = 64;
  kernel = least([&] {
    reduce<<<Blocks, 256>>>(a, b, Count / Blocks);
    CHECK(cudaDeviceSynchronize());
  });
  loop = least([&] { reduceLoop(in.data(), out.data(), Count / Blocks, Blocks); });
  compare("reduction with shuffles", kernel, loop, "5",
          near(read(b, Blocks), {out.begin(), out.begin() + Blocks}, 1e-4f));

  std::vector<float> product(Side * Side);
  kernel = least([&] {
    multiply<<<dim3(Side / Tile, Side / Tile), dim3(Tile, Tile)>>>(a, a, b, Side);
    CHECK(cudaDeviceSynchronize());
  });
  loop = least([&] { multiplyLoop(in.data(), in.data(), product.data(), Side); });
  compare("tiled matrix product", kernel, loop, "5", near(read(b, Side * Side), product, 1e-4f));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return 0;
}
