// Pinned memory that the device never sees: one spare buffer, and one that the host counts in.
// What copies, kernels and tables of addresses get is used.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: unused-allocation likely function=main line=@spare variable=spare memory=pinned count=1 bytes=1MiB fix=*need*not*be*pinned
// EXPECT: unused-allocation likely function=main line=@counts variable=counts memory=pinned count=1 bytes=4096
// EXPECT-ALL
// EXPECT-NO[twin]: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <numeric>

constexpr int N = 1 << 10;

struct Views {
  const float *a;
  float *sums;
};
__constant__ const float *c_table;
static float *table;

__global__ void add(const float *direct, Views views, const float *const *listed) {
  const unsigned i = globalThread();
  views.sums[i] = direct[i] + views.a[i] + listed[1][i] + c_table[i];
}
// The host has no constant memory.
static void onHost(unsigned i, const float *direct, Views views, const float *const *listed) {
  views.sums[i] = direct[i] + views.a[i] + listed[1][i] + table[i];
}
SIMULATED(add, onHost)

static float *pinned(unsigned flags = cudaHostAllocDefault) {
  float *made;
  CHECK(cudaHostAlloc((void **)&made, N * 4, flags));
  std::iota(made, made + N, 1.0f);
  return made;
}

int main() {
  float *direct = pinned(cudaHostAllocMapped), *inStruct = pinned(), *listed = pinned();
  float *sent = pinned(), *back = pinned(), *d_sums, *d_x;
  table = pinned();
#ifdef FIXED
  std::vector<int> counted(1024);
  int *counts = counted.data();
#else
  float *spare;
  int *counts;
  CHECK(cudaMallocHost((void **)&spare, 1 << 20)); // @spare
  CHECK(cudaMallocHost((void **)&counts, 4096));   // @counts
#endif
  for (int i = 0; i < 1024; ++i)
    counts[i] = i;
  CHECK(cudaMalloc((void **)&d_sums, N * 4));
  CHECK(cudaMalloc((void **)&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, sent, N * 4, cudaMemcpyDefault));
  const float *addresses[] = {d_x, listed}, **d_addresses;
  CHECK(cudaMalloc((void **)&d_addresses, sizeof addresses));
  CHECK(cudaMemcpy(d_addresses, addresses, sizeof addresses, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(c_table, &table, sizeof table));
  add<<<N / 256, 256>>>(direct, Views{inStruct, d_sums}, d_addresses);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(back + 16, d_sums, 64, cudaMemcpyDeviceToHost));
  printf("%g %d\n", double(back[16]), std::accumulate(counts, counts + 1024, 0));
  for (float *one : {direct, inStruct, listed, sent, back, table})
    CHECK(cudaFreeHost(one));
#ifndef FIXED
  CHECK(cudaFreeHost(spare));
  CHECK(cudaFreeHost(counts));
#endif
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_addresses));
}
