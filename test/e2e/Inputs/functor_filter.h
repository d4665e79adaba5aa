// A filter as a functor in a driver, both of views, which the kernel hands on and copies: it reads
// its coefficients and writes other memory. With WRITES it also writes the coefficients, though
// never in these runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18;

template <class T> struct View {
  T *data;
  int n;
  __host__ __device__ T &operator()(int i) const { return data[i]; }
};
struct Scale {
  int step;
  View<float> coefficients;
};
struct Filter : Scale {
  View<float> out;
  __host__ __device__ void operator()(int i) const {
#ifdef WRITES
    if (step < 0)
      coefficients(i) = 0;
#endif
    out(i) = weigh(i) / float(step);
  }
  __host__ __device__ float weigh(int i) const { return coefficients(i) * float(i % 7); }
};
template <class F> struct Driver {
  int n;
  F functor;
  __host__ __device__ void run(int i) const {
    if (i < n)
      functor(i);
  }
};
template <class D> __host__ __device__ void runs(const D &driver, int i) {
  auto mine = driver;
  mine.run(i);
}
__host__ __device__ inline void eachAt(unsigned i, Driver<Filter> driver) { runs(driver, int(i)); }
__global__ void each(Driver<Filter> driver) { eachAt(globalThread(), driver); }
SIMULATED(each, eachAt)

static void launchFilter(float *coefficients, float *out, int step) {
  each<<<N / 256, 256>>>({N, {{step, {coefficients, N}}, {out, N}}});
}
#include "filter_main.h"
