// Uploads that kernels of closures overwrite, through a view and through another closure. One that
// writes where memory says leaves open what it overwrites.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: budget=100
// EXPECT: dead-copy likely function=step line=@slice variable=slice.p related=@each count>=6
// EXPECT: dead-copy likely function=step line=@sum variable=sum.p related=@each count>=6
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int Nx = 128, Ny = 64, N = Nx * Ny, Rounds = 8;

template <class T> struct View {
  T *p;
  int nx;
  __host__ __device__ T &operator()(int i, int j) const { return p[i + nx * j]; }
};

template <class F> __global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}

template <class F> void parallelFor(int n, const F &f) {
  each<<<n / 128, 128>>>(n, [=] __device__(int i) { f(i); }); // @each
}

static float step(View<float> slice, View<float> sum, View<float> marks, const int *where,
                  int round) {
  std::vector<float> host = noise(N, round + 1);
#ifndef FIXED
  CHECK(cudaMemcpy(slice.p, host.data(), 4 * N, cudaMemcpyHostToDevice)); // @slice
  host[0] = round;
  CHECK(cudaMemcpy(sum.p, host.data(), 4 * N, cudaMemcpyHostToDevice)); // @sum
#endif
  host[1] = round + 0.5f;
  CHECK(cudaMemcpy(marks.p, host.data(), 4 * N, cudaMemcpyHostToDevice));
  parallelFor(N, [=] __device__(int i) { slice(i % Nx, i / Nx) = 0.5f * (i % 37) + round + 100; });
  parallelFor(N, [=] __device__(int i) { sum.p[i] = 2 * slice(i % Nx, i / Nx); });
  parallelFor(N, [=] __device__(int i) { marks.p[where[i]] = i + 0.25f + round; });
  CHECK(cudaMemcpy(host.data(), sum.p, 4 * N, cudaMemcpyDeviceToHost));
  const float first = host[3];
  CHECK(cudaMemcpy(host.data(), marks.p, 4 * N, cudaMemcpyDeviceToHost));
  return first + host[5];
}

int main() {
  std::vector<int> order(N);
  for (int i = 0; i < N; ++i)
    order[i] = N - 1 - i;
  View<float> slice{nullptr, Nx}, sum{nullptr, Nx}, marks{nullptr, Nx};
  int *where;
  float all = 0;
  CHECK(cudaMalloc(&slice.p, 4 * N));
  CHECK(cudaMalloc(&sum.p, 4 * N));
  CHECK(cudaMalloc(&marks.p, 4 * N));
  CHECK(cudaMalloc(&where, 4 * N));
  CHECK(cudaMemcpy(where, order.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int round = 0; round < Rounds; ++round)
    all += step(slice, sum, marks, where, round);
  printf("%g\n", all);
  CHECK(cudaFree(slice.p));
  CHECK(cudaFree(sum.p));
  CHECK(cudaFree(marks.p));
  CHECK(cudaFree(where));
}
