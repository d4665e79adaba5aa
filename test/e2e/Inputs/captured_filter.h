// A filter that reads its coefficients in a closure, which holds a copy of what a reference refers
// to. With WRITES it also writes them, though never in these runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18;

struct Row {
  float *data;
  __host__ __device__ float &operator[](unsigned i) const { return data[i]; }
};
__host__ __device__ inline float weigh(const Row &row, unsigned i, int scale) {
  auto scaled = [=](float x) {
#ifdef WRITES
    if (scale < 0)
      row[i] = 0;
#endif
    return row[i] * x / float(scale);
  };
  return scaled(float(i % 7));
}
__host__ __device__ inline void filterAt(unsigned i, float *coefficients, float *out, int scale) {
  Row row{coefficients};
  if (i < N)
    out[i] = weigh(row, i, scale);
}
__global__ void filter(float *coefficients, float *out, int scale) {
  filterAt(globalThread(), coefficients, out, scale);
}
SIMULATED(filter, filterAt)

static void launchFilter(float *coefficients, float *out, int step) {
  filter<<<N / 256, 256>>>(coefficients, out, step);
}
#include "filter_main.h"
