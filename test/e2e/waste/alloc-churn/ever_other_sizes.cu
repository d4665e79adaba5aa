// Each round makes a buffer for the edges found so far, which are ever more, and one for the
// frontier, which is another size in each round; both are freed at its end. Rows of one size and
// of three sizes in turn are told as before.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: alloc-churn advice function=round line=@edges variable=d_edges count>=20 fix=*as*large*as*the*largest*
// EXPECT: alloc-churn advice function=round line=@frontier variable=d_frontier count>=30 fix=*as*large*as*the*largest*
// EXPECT: alloc-churn advice line=@three variable=d_three count=12 fix=*before*the*loop*or*use*
// EXPECT-ALL
// EXPECT-NO[twin]: alloc-churn
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Rounds = 40, Step = 512, Most = Step * Rounds;

__host__ __device__ inline void fillAt(unsigned i, float *a, float *sum, int n) {
  if (int(i) >= n)
    return;
  a[i] = float(i);
  sum[i] += a[i];
}
__global__ void fill(float *a, float *sum, int n) { fillAt(globalThread(), a, sum, n); }
SIMULATED(fill, fillAt)

static void put(float *a, float *d_sum, int n) {
  fill<<<(n + 255) / 256, 256>>>(a, d_sum, n);
  CHECK(cudaGetLastError());
}

static int frontierAt(int i) { return 64 + i * 37 % Rounds * 100; }

#ifdef FIXED
static void rounds(float *d_sum) {
  float *d_edges, *d_frontier;
  CHECK(cudaMalloc(&d_edges, 4 * Most));
  CHECK(cudaMalloc(&d_frontier, 4 * (64 + 100 * Rounds)));
  for (int i = 0; i < Rounds; ++i) {
    put(d_edges, d_sum, Step * (i + 1));
    put(d_frontier, d_sum, frontierAt(i));
  }
  CHECK(cudaFree(d_edges));
  CHECK(cudaFree(d_frontier));
}
#else
static void round(float *d_sum, int i) {
  float *d_edges, *d_frontier;
  CHECK(cudaMalloc(&d_edges, 4 * Step * (i + 1))); // @edges
  CHECK(cudaMalloc(&d_frontier, 4 * frontierAt(i))); // @frontier
  put(d_edges, d_sum, Step * (i + 1));
  put(d_frontier, d_sum, frontierAt(i));
  CHECK(cudaFree(d_edges));
  CHECK(cudaFree(d_frontier));
}
static void rounds(float *d_sum) {
  for (int i = 0; i < Rounds; ++i)
    round(d_sum, i);
}
#endif

int main() {
  std::vector<float> sum(Most);
  float *d_sum;
  CHECK(cudaMalloc(&d_sum, 4 * Most));
  CHECK(cudaMemset(d_sum, 0, 4 * Most));
  rounds(d_sum);
#ifdef FIXED
  float *d_three;
  CHECK(cudaMalloc(&d_three, 4 * 1024 * 3));
#endif
  for (int i = 0; i < 12; ++i) {
    const int n = 1024 * (3 - i % 3);
#ifndef FIXED
    float *d_three;
    CHECK(cudaMalloc(&d_three, 4 * n)); // @three
#endif
    put(d_three, d_sum, n);
#ifndef FIXED
    CHECK(cudaFree(d_three));
#endif
  }
#ifdef FIXED
  CHECK(cudaFree(d_three));
#endif
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * Most, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_sum));
}
