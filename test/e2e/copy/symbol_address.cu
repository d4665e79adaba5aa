// A variable of the program's own, whose place it asks the runtime for and copies to as to other
// memory: judged as that, and no memory that nobody allocated. Where a kernel may write it in
// between, by its name or by that address, nothing is proven.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@table count>=5
// EXPECT-NO: noop-copy proven function=main line=@partial
// EXPECT-NO: noop-copy proven function=main line=@named
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO-REPORT: *did not allocate*
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

constexpr int Count = 1 << 14;
__device__ float g_table[Count], g_partial[Count], g_named[Count];

__global__ void reduce(const float *values, float *partial) {
  partial[globalThread()] = values[globalThread()] * 2;
}
inline void reduceOnHost(unsigned i, const float *values, float *partial) {
  partial[i] = values[i] * 2;
}
SIMULATED(reduce, reduceOnHost)

__global__ void mark(const float *values) {
  if (values[globalThread()] > 2)
    g_named[globalThread()] = 1;
}
inline void markOnHost(unsigned, const float *) {}
SIMULATED(mark, markOnHost)

template <typename T> float *placeOf(T &symbol) {
  void *address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, symbol));
  return static_cast<float *>(address);
}

int main() {
  std::vector<float> values = noise(Count), back(Count);
  const size_t bytes = Count * sizeof(float);
  for (int round = 0; round < 6; ++round) {
    float *table = placeOf(g_table);
#ifdef FIXED
    values[round] = float(round + 1);
#endif
    CHECK(cudaMemcpy(table, values.data(), bytes, cudaMemcpyHostToDevice)); // @table
  }
#ifndef FIXED
  std::vector<float> zeros(Count);
  for (int round = 0; round < 6; ++round) {
    float *partial = placeOf(g_partial), *named = placeOf(g_named);
    CHECK(cudaMemcpy(named, zeros.data(), bytes, cudaMemcpyHostToDevice)); // @named
    reduce<<<Count / 256, 256>>>(placeOf(g_table), partial);
    mark<<<Count / 256, 256>>>(placeOf(g_table));
    CHECK(cudaMemcpy(back.data(), partial, bytes, cudaMemcpyDeviceToHost)); // @partial
  }
#endif
  printf("%g\n", back[1]);
}
