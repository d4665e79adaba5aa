// A kernel's limits go to constant memory before each launch, and are always the same. It writes a
// variable as well, but no kernel can write constant memory: so few bytes are no flag there.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: budget=100
// TWIN: FIXED
// EXPECT: noop-copy proven function=setLimits line=@limits variable=c_limits count=7
// EXPECT: noop-copy proven function=setLimits line=@most variable=c_most count=7
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__constant__ float c_limits[2];
static __constant__ int c_most;
__device__ int g_last;

__global__ void search(const float *values, int *found, int *places) {
  unsigned i = globalThread();
  if (values[i] < c_limits[0] || values[i] > c_limits[1])
    return;
  int place = atomicAdd(found, 1);
  if (place < c_most)
    places[place] = int(i);
  g_last = int(i);
}
inline void searchOnHost(unsigned i, const float *, int *found, int *places) {
  places[i % 16] = int(i) + ++*found;
}
SIMULATED(search, searchOnHost)

static void setLimits(float low, float high, int most) {
  float limits[2] = {low, high};
  CHECK(cudaMemcpyToSymbol(c_limits, limits, sizeof(limits))); // @limits
  CHECK(cudaMemcpyToSymbol(c_most, &most, sizeof(most)));      // @most
}

int main() {
  constexpr int N = 1024;
  std::vector<float> values(N);
  std::vector<int> places(16);
  float *d_values;
  int *d_places, *d_found, found = 0;
  CHECK(cudaMalloc(&d_values, N * 4));
  CHECK(cudaMalloc(&d_places, 16 * 4));
  CHECK(cudaMalloc(&d_found, 4));
  CHECK(cudaMemset(d_places, 0, 16 * 4));
  CHECK(cudaMemset(d_found, 0, 4));
#ifdef FIXED
  setLimits(0.25f, 0.5f, 16);
#endif
  for (int round = 0; round < 8; ++round) {
    values = noise(N, unsigned(round));
    CHECK(cudaMemcpy(d_values, values.data(), N * 4, cudaMemcpyHostToDevice));
#ifndef FIXED
    setLimits(0.25f, 0.5f, 16);
#endif
    search<<<N / 256, 256>>>(d_values, d_found, d_places);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(places.data(), d_places, 16 * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&found, d_found, 4, cudaMemcpyDeviceToHost));
  printf("%d %d\n", found > 0, places[0] >= 0);
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_places));
  CHECK(cudaFree(d_found));
}
