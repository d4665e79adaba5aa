// Counts are cleared before each pass and behind each of its four digits: one clear of four is dead, and three are needed.
// Fixed, the one behind the last digit is left out.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy likely line=@clear related=@first count=8 message=*8*of*32*at*this*line* fix=leave*it*out*where*one_of_four*
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14, Digits = 4;

__host__ __device__ inline void countAt(unsigned i, int *counts, int digit) {
  if (int(i) % Digits == digit)
    counts[i] += int(i);
}
__global__ void count(int *counts, int digit) { countAt(globalThread(), counts, digit); }
SIMULATED(count, countAt)
__host__ __device__ inline void addAt(unsigned i, const int *counts, int *sums) { sums[i] += counts[i]; }
__global__ void add(const int *counts, int *sums) { addAt(globalThread(), counts, sums); }
SIMULATED(add, addAt)

int main() {
  std::vector<int> sums(N);
  int *d_counts, *d_sums;
  CHECK(cudaMalloc(&d_counts, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * N));
  CHECK(cudaMemset(d_sums, 0, 4 * N));
  for (int pass = 0; pass < 9; ++pass) {
    CHECK(cudaMemset(d_counts, 0, 4 * N)); // @first
    for (int digit = 0; digit < Digits; ++digit) {
      if (pass == 8)
        break;
      count<<<N / 256, 256>>>(d_counts, digit);
      add<<<N / 256, 256>>>(d_counts, d_sums);
      CHECK(cudaGetLastError());
#ifdef FIXED
      if (digit == Digits - 1)
        break;
#endif
      CHECK(cudaMemset(d_counts, 0, 4 * N)); // @clear
    }
  }
  add<<<N / 256, 256>>>(d_counts, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sums));
  CHECK(cudaFree(d_counts));
  CHECK(cudaFree(d_sums));
}
