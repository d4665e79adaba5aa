// A filter that reads its coefficients through a template, a method, a device function and a lambda.
// With WRITES it also writes them, though never in these runs. They are uploaded before every launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18;

template <class T> struct Row {
  T *data;
  __host__ __device__ T &operator[](unsigned i) const { return data[i]; }
};
template <class T> __host__ __device__ inline T weigh(const Row<T> &row, unsigned i, T x) {
  return row[i] * x;
}
__host__ __device__ inline void filterAt(unsigned i, float *coefficients, float *out, int scale) {
  Row<float> row{coefficients};
#ifdef WRITES
  if (scale < 0)
    row[i] = 0;
#endif
  auto scaled = [=](float x) { return weigh(row, i, x) / float(scale); };
  if (i < N)
    out[i] = scaled(float(i % 7));
}
__global__ void filter(float *coefficients, float *out, int scale) {
  filterAt(globalThread(), coefficients, out, scale);
}
SIMULATED(filter, filterAt)

static void launchFilter(float *coefficients, float *out, int step) {
  filter<<<N / 256, 256>>>(coefficients, out, step);
}
#include "filter_main.h"
