// Two functions send a table to buffers that they make anew, and begin with the same one: of the
// second one's uploads one is needless, not all. Fixed, the tables are different from the start.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload likely function=second count=1 bytes=128KiB
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void addAt(unsigned i, const double *table, double *sum) { sum[i] += table[i]; }
__global__ void add(const double *table, double *sum) { addAt(globalThread(), table, sum); }
SIMULATED(add, addAt)

static void first(const std::vector<double> &table, double *d_sum) {
  double *d_table;
  CHECK(cudaMalloc(&d_table, N * sizeof(double)));
  CHECK(cudaMemcpy(d_table, table.data(), N * sizeof(double), cudaMemcpyHostToDevice));
  add<<<N / 256, 256>>>(d_table, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_table));
}

static void second(const std::vector<double> &table, double *d_sum) {
  double *d_table;
  CHECK(cudaMalloc(&d_table, N * sizeof(double)));
  CHECK(cudaMemcpy(d_table, table.data(), N * sizeof(double), cudaMemcpyHostToDevice));
  add<<<N / 256, 256>>>(d_table, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_table));
}

int main() {
  std::vector<double> ups(N), downs(N), sum(N);
  double *d_sum;
  CHECK(cudaMalloc(&d_sum, N * sizeof(double)));
  CHECK(cudaMemset(d_sum, 0, N * sizeof(double)));
  for (int i = 0; i < N; ++i)
    ups[i] = downs[i] = i;
#ifdef FIXED
  downs[7] = -1;
#endif
  for (int round = 0; round < 20; ++round) {
    first(ups, d_sum);
    second(downs, d_sum);
    for (int i = 0; i < N; ++i)
      ups[i] += round + 1, downs[i] -= round + 1;
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * sizeof(double), cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_sum));
}
