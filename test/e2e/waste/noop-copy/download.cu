// A lookup table is fetched from the device whenever somebody asks for it; nothing changes it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@at via=@fetch via-function=Table::at count=5 bytes=5MiB
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__host__ __device__ inline void squareAt(unsigned i, float *table) {
  table[i] = float(i) * float(i);
}
__global__ void squares(float *table) { squareAt(globalThread(), table); }
SIMULATED(squares, squareAt)

struct Table {
  Table() : values(1 << 18) {
    CHECK(cudaMalloc(&d_values, values.size() * 4));
    squares<<<1024, 256>>>(d_values);
    CHECK(cudaGetLastError());
  }
  ~Table() { CHECK(cudaFree(d_values)); }
  float at(size_t i) {
#ifdef FIXED
    if (!fetched)
#endif
      CHECK(cudaMemcpy(values.data(), d_values, values.size() * 4, cudaMemcpyDeviceToHost)); // @fetch
    fetched = true;
    return values[i];
  }
  std::vector<float> values;
  float *d_values = nullptr;
  bool fetched = false;
};

int main() {
  Table table;
  float sum = 0;
  for (int i = 0; i < 6; ++i)
    sum += table.at(100 * i); // @at
  printf("%g\n", sum);
}
