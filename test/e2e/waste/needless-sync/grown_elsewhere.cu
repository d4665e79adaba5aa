// Each layer's step begins with a method of another file that allocates on demand, and ends with a
// wait. Silent: where the method looks at a clock, by its name or with another one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/store.cu
// TWIN: FIXED
// EXPECT: needless-sync advice line=@scale function=Scale::forward count>=8
// EXPECT: needless-sync advice line=@shift function=Shift::forward count>=8
// EXPECT-NO: needless-sync line=@timed
// EXPECT-NO: needless-sync line=@measured
// EXPECT-NO: needless-sync line=@begun
// EXPECT-NO[twin]: needless-sync line=@scale
// EXPECT-NO[twin]: needless-sync line=@shift
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include "Inputs/store.h"

#include <memory>

constexpr int N = 1 << 12;

__host__ __device__ inline void addAt(unsigned i, float *to, const float *from, float number) {
  to[i] = from[i] + number;
}
__global__ void add(float *to, const float *from, float number) { addAt(globalThread(), to, from, number); }
SIMULATED(add, addAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

struct Layer {
  Store out;
  virtual ~Layer() { cudaFree(out.data); }
  virtual float *forward(const float *from) = 0;
};
struct Scale : Layer {
  float *forward(const float *from) override;
};
struct Shift : Layer {
  float *forward(const float *from) override;
};
struct Timed : Layer {
  float *forward(const float *from) override;
};
struct Measured : Layer {
  float *forward(const float *from) override;
};
struct Begun : Layer {
  float *forward(const float *from) override;
};

float *Scale::forward(const float *from) {
  out.allocateIfNeeded(N);
  add<<<N / 256, 256>>>(out.data, from, 1);
  WAIT(); // @scale
  return out.data;
}
float *Shift::forward(const float *from) {
  out.allocateIfNeeded(N);
  add<<<N / 256, 256>>>(out.data, from, 2);
  WAIT(); // @shift
  return out.data;
}
float *Timed::forward(const float *from) {
  out.allocateTimed(N);
  add<<<N / 256, 256>>>(out.data, from, 1);
  CHECK(cudaDeviceSynchronize()); // @timed
  return out.data;
}
float *Measured::forward(const float *from) {
  out.allocateMeasured(N);
  add<<<N / 256, 256>>>(out.data, from, 1);
  CHECK(cudaDeviceSynchronize()); // @measured
  return out.data;
}
float *Begun::forward(const float *from) {
  out.begin();
  out.allocateIfNeeded(N);
  add<<<N / 256, 256>>>(out.data, from, 1);
  CHECK(cudaDeviceSynchronize()); // @begun
  return out.data;
}

static float *network(const std::vector<std::unique_ptr<Layer>> &layers, float *x) {
  float *y = x;
  for (int round = 0; round < 10; ++round) {
    y = x;
    for (const std::unique_ptr<Layer> &layer : layers)
      y = layer->forward(y);
  }
  return y;
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  std::vector<std::unique_ptr<Layer>> layers, timed, measured, begun;
  layers.emplace_back(new Scale);
  layers.emplace_back(new Shift);
  timed.emplace_back(new Timed);
  timed.emplace_back(new Timed);
  measured.emplace_back(new Measured);
  measured.emplace_back(new Measured);
  begun.emplace_back(new Begun);
  begun.emplace_back(new Begun);
  for (const auto *all : {&layers, &timed, &measured, &begun}) {
    CHECK(cudaMemcpy(x.data(), network(*all, d_x), 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(x));
  }
  CHECK(cudaFree(d_x));
}
