// SPDX-License-Identifier: Apache-2.0
#include "steps.h"
#include "../../../Inputs/check.h"
#include "../../../Inputs/kernel.h"

#include <time.h>

__host__ __device__ inline void moveAt(unsigned i, float *x, float by, float plus) {
  x[i] = by * x[i] + plus;
}
__global__ void move(float *x, float by, float plus) { moveAt(globalThread(), x, by, plus); }
SIMULATED(move, moveAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

Vector::Vector(int size) : n(size) {
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  CHECK(cudaMemset(data, 0, n * sizeof(float)));
}
Vector &Vector::operator=(const Vector &from) {
  if (this == &from)
    return *this;
  CHECK(cudaFree(data));
  n = from.n;
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  CHECK(cudaMemcpy(data, from.data, n * sizeof(float), cudaMemcpyDeviceToDevice));
  return *this;
}
Vector::~Vector() { cudaFree(data); }

void halved(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 0.5f, 0);
  WAIT(); // @halved
}
void doubled(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 2, 0);
  WAIT(); // @doubled
}
void squared(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 0.75f, 1);
  WAIT(); // @squared
}
void lowered(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 1, -1);
  WAIT(); // @lowered
}
void raised(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 1, 2);
  CHECK(cudaDeviceSynchronize()); // @raised
}
void rounded(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 1, 0.25f);
  CHECK(cudaDeviceSynchronize()); // @rounded
}

void shifted(Vector &v) { move<<<v.n / 256, 256>>>(v.data, 1, 0.5f); }
void shiftedTwice(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 1, 0.5f);
  move<<<v.n / 256, 256>>>(v.data, 1, 0.25f);
}
void shiftedSome(Vector &v, int what) {
  if (what != 0)
    move<<<v.n / 256, 256>>>(v.data, 1, 0.5f);
}
float shiftedNow(Vector &v) {
  const float now = float(clock());
  move<<<v.n / 256, 256>>>(v.data, 1, 0.5f);
  return now;
}
float shiftedThen(Vector &v) {
  move<<<v.n / 256, 256>>>(v.data, 1, 0.5f);
  return float(clock());
}
void begin(Vector &v, int what) { CHECK(cudaMemset(v.data, what, sizeof(float))); }
float beginNow(Vector &v) {
  const float now = float(clock());
  CHECK(cudaMemset(v.data, 1, sizeof(float)));
  return now;
}
void beginSome(Vector &v, int what) {
  if (what != 0)
    CHECK(cudaMemset(v.data, what, sizeof(float)));
}
