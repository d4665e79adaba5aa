// A filter whose kernel has closures that capture by reference. With WRITES one of them also writes
// the coefficients, though never in these runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18;

__global__ void filterInBlocks(float *coefficients, float *out, int step) {
  const int i = int(globalThread());
  auto factor = [&](int at) {
#ifdef WRITES
    if (step < 0)
      coefficients[at] = 0;
#endif
    return coefficients[at] / float(step);
  };
  auto put = [&](float value) { out[i] = value; };
  if (i < N)
    put(factor(i) * float(i % 7));
}

static void launchFilter(float *coefficients, float *out, int step) {
  filterInBlocks<<<N / 256, 256>>>(coefficients, out, step);
}
#include "filter_main.h"
