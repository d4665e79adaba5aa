// One function brings the slopes to the host and the next one sends them back unchanged, each with
// buffers that it makes anew; both send the field, too. Fixed, the memory is kept.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip likely function=advance line=@back count>=10
// EXPECT[carried]: reupload proven function=advance line=@field count>=10
// EXPECT-NO[twin]: roundtrip
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include <utility>

constexpr int N = 1 << 14;

__host__ __device__ inline void slopeAt(unsigned i, const double *field, double *slopes, double at) {
  slopes[i] = (i ? field[i - 1] : at) - 2 * field[i] + (i + 1 < N ? field[i + 1] : at);
}
__global__ void slope(const double *field, double *slopes, double at) {
  slopeAt(globalThread(), field, slopes, at);
}
SIMULATED(slope, slopeAt)

__host__ __device__ inline void stepAt(unsigned i, const double *field, const double *slopes,
                                       double *next) {
  next[i] = field[i] + 0.1 * slopes[i];
}
__global__ void step(const double *field, const double *slopes, double *next) {
  stepAt(globalThread(), field, slopes, next);
}
SIMULATED(step, stepAt)

constexpr size_t Bytes = N * sizeof(double);
#ifdef FIXED
static double *d_field, *d_slopes, *d_next;
#endif

static void convolve(const std::vector<double> &field, std::vector<double> &slopes, double at) {
#ifndef FIXED
  double *d_field, *d_slopes;
  CHECK(cudaMalloc(&d_field, Bytes));
  CHECK(cudaMalloc(&d_slopes, Bytes));
  CHECK(cudaMemcpy(d_field, field.data(), Bytes, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(d_field, field.data(), sizeof(double), cudaMemcpyHostToDevice));
#endif
  slope<<<N / 256, 256>>>(d_field, d_slopes, at);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(slopes.data(), d_slopes, Bytes, cudaMemcpyDeviceToHost));
#ifndef FIXED
  CHECK(cudaFree(d_field));
  CHECK(cudaFree(d_slopes));
#endif
}

static void advance(const std::vector<double> &field, const std::vector<double> &slopes,
                    std::vector<double> &next) {
#ifndef FIXED
  double *d_field, *d_slopes, *d_next;
  CHECK(cudaMalloc(&d_field, Bytes));
  CHECK(cudaMalloc(&d_slopes, Bytes));
  CHECK(cudaMalloc(&d_next, Bytes));
  CHECK(cudaMemcpy(d_field, field.data(), Bytes, cudaMemcpyHostToDevice));   // @field
  CHECK(cudaMemcpy(d_slopes, slopes.data(), Bytes, cudaMemcpyHostToDevice)); // @back
#endif
  (void)field, (void)slopes;
  step<<<N / 256, 256>>>(d_field, d_slopes, d_next);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(next.data(), d_next, Bytes, cudaMemcpyDeviceToHost));
#ifndef FIXED
  CHECK(cudaFree(d_field));
  CHECK(cudaFree(d_slopes));
  CHECK(cudaFree(d_next));
#else
  CHECK(cudaMemcpy(d_field, d_next, Bytes, cudaMemcpyDeviceToDevice));
#endif
}

int main() {
  std::vector<double> field(N), slopes(N), next(N);
  for (int i = 0; i < N; ++i)
    field[i] = (i * 37 + i / 11) % 1000;
#ifdef FIXED
  CHECK(cudaMalloc(&d_field, Bytes));
  CHECK(cudaMalloc(&d_slopes, Bytes));
  CHECK(cudaMalloc(&d_next, Bytes));
  CHECK(cudaMemcpy(d_field, field.data(), Bytes, cudaMemcpyHostToDevice));
#endif
  for (int i = 0; i < 16; ++i) {
    field[0] = i; // the host sets the border
    convolve(field, slopes, i);
    advance(field, slopes, next);
    std::swap(field, next);
  }
  printf("%08x\n", checksum(field));
#ifdef FIXED
  CHECK(cudaFree(d_field));
  CHECK(cudaFree(d_slopes));
  CHECK(cudaFree(d_next));
#endif
}
