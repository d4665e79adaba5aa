// Device memory of a function that returns something else has its own name and line; what the
// function returns is named by who gets it.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=d function=compute line=@compute count=2 bytes=512
// EXPECT: leak proven variable=q function=throughWrapper line=@q via=@made count=1 bytes=384
// EXPECT: leak proven variable=scratch function=both line=@scratch count=1 bytes=128
// EXPECT: leak proven variable=kept function=both line=@returned caller=@kept count=1 bytes=64
// EXPECT: leak proven variable=deep function=main line=@deep via=@made count=1 bytes=192
// EXPECT: leak proven variable=boxed function=main line=@boxed count=1 bytes=320
// EXPECT-ALL
// EXPECT-REPORT: leak *512 B x2*d*local_result.cpp:{@compute}*compute
#include "../Inputs/check.h"
#include <memory>
#include <vector>

#ifdef FIXED
#define FREE(pointer) CHECK(cudaFree(pointer))
#else
#define FREE(pointer) (void)(pointer)
#endif

__attribute__((noinline)) static float *compute(const float *x, size_t n) {
  auto *h = new float[n];
  float *d;
  CHECK(cudaMalloc((void **)&d, n * sizeof *d)); // @compute
  CHECK(cudaMemcpy(d, x, n * sizeof *d, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(h, d, n * sizeof *d, cudaMemcpyDeviceToHost));
  FREE(d);
  return h;
}

static void *made(size_t bytes) {
  void *p;
  CHECK(cudaMalloc(&p, bytes)); // @made
  return p;
}
static float *floats(size_t n) {
  auto *p = static_cast<float *>(made(n * sizeof(float)));
  return p;
}
static std::vector<float> throughWrapper(const std::vector<float> &x, size_t n) {
  std::vector<float> h(n);
  float *q = floats(n); // @q
  CHECK(cudaMemcpy(q, x.data(), n * sizeof *q, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(h.data(), q, n * sizeof *q, cudaMemcpyDeviceToHost));
  FREE(q);
  return h;
}

static float *both(const float *x) {
  float *scratch, *p;
  CHECK(cudaMalloc((void **)&scratch, 128)); // @scratch
  CHECK(cudaMalloc((void **)&p, 64));        // @returned
  CHECK(cudaMemcpy(scratch, x, 128, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(p, scratch, 64, cudaMemcpyDeviceToDevice));
  FREE(scratch);
  return p;
}

struct Free {
  void operator()(float *p) const { FREE(p); }
};
static std::unique_ptr<float, Free> box(size_t bytes) {
  float *p;
  CHECK(cudaMalloc((void **)&p, bytes));
  return std::unique_ptr<float, Free>(p);
}

int main() {
  std::vector<float> x(96, 1.0f), back(64);
  float sum = 0;
  for (int i = 0; i < 2; ++i) {
    x[0] = float(i);
    float *result = compute(x.data(), 64);
    sum += result[0];
    delete[] result;
  }
  std::vector<float> copied = throughWrapper(x, 96);
  x[1] = copied[0] + 4;
  float *kept = both(x.data()); // @kept
  CHECK(cudaMemcpy(back.data(), kept, 64, cudaMemcpyDeviceToHost));
  float *deep = floats(48); // @deep
  CHECK(cudaMemcpy(deep, back.data(), 192, cudaMemcpyHostToDevice));
  auto boxed = box(320); // @boxed
  FREE(kept);
  FREE(deep);
  printf("%g %g\n", sum, back[0]);
}
