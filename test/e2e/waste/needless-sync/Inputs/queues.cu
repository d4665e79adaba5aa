// SPDX-License-Identifier: Apache-2.0
#include "queues.h"
#include "../../../Inputs/check.h"

#include <time.h>

void fill(float *d_x, int byte, int n) { CHECK(cudaMemset(d_x, byte, n * sizeof(float))); }
static void copy(float *to, const float *from, int n) {
  CHECK(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyDeviceToDevice));
}
void duplicate(float *to, const float *from, int n) { copy(to, from, n); }
double fillTimed(float *d_x, int byte, int n) {
  CHECK(cudaMemset(d_x, byte, n * sizeof(float)));
  return double(clock());
}
void fetch(float *x, const float *d_x, int n) {
  CHECK(cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
}
double stop() { return double(clock()); }
