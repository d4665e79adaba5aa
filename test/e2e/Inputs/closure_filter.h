// A filter as a closure that a kernel gets by value: it reads its coefficients and writes
// other memory. With WRITES it also writes the coefficients, though never in these runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18;

template <class F> __global__ void each(int n, F f) {
  const int i = int(globalThread());
  if (i < n)
    f(i);
}

static void launchFilter(float *coefficients, float *out, int step) {
  each<<<N / 256, 256>>>(N, [=] __device__(int i) {
#ifdef WRITES
    if (step < 0)
      coefficients[i] = 0;
#endif
    out[i] = coefficients[i] * float(i % 7) / float(step);
  });
}
#include "filter_main.h"
