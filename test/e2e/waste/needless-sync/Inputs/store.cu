// What store.h declares.
// SPDX-License-Identifier: Apache-2.0
#include "store.h"
#include "../../../Inputs/check.h"

#include <chrono>

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Store::allocateIfNeeded(int elements) {
  if (elements <= size)
    return;
  CHECK(cudaFree(data));
  CHECK(cudaMalloc(&data, 4 * elements));
  size = elements;
}
void Store::begin() {
  const double then = last;
  last = now();
  if (then > 0 && last - then > longest)
    longest = last - then;
}
void Store::allocateTimed(int elements) {
  begin();
  allocateIfNeeded(elements);
}
void Store::allocateMeasured(int elements) { allocateTimed(elements); }
