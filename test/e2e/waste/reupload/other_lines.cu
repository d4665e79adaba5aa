// Each variant of a search makes its own buffer and sends it the same table, then frees it: once at
// each line. The last one's kernel writes into the table, so that the next upload is needed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload proven function=second line=@second variable=d_table related=@first-free count=1 bytes=32MiB
// EXPECT: reupload proven function=third line=@third variable=d_table related=@second-free count=1 bytes=32MiB
// EXPECT-NO: reupload line=@fourth
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 23, Sums = 256;

__host__ __device__ inline void sumAt(unsigned i, const float *table, float *sums) {
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += table[k * Sums + i];
  sums[i] = sum;
}
__global__ void sum(const float *table, float *sums) { sumAt(globalThread(), table, sums); }
SIMULATED(sum, sumAt)

__host__ __device__ inline void sortAt(unsigned i, float *table, float *sums) {
  sums[i] = table[i];
  table[i] = table[N - 1 - i];
}
__global__ void sort(float *table, float *sums) { sortAt(globalThread(), table, sums); }
SIMULATED(sort, sortAt)

static float *made(size_t bytes) {
  float *d;
  CHECK(cudaMalloc(&d, bytes));
  return d;
}

static void fetch(std::vector<float> &sums, const float *d_sums) {
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, Sums * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sums));
}

#ifdef FIXED
static float *d_kept;

static void first(const std::vector<float> &table, float *d_sums, std::vector<float> &sums) {
  d_kept = made(N * 4);
  CHECK(cudaMemcpy(d_kept, table.data(), N * 4, cudaMemcpyHostToDevice));
  sum<<<1, Sums>>>(d_kept, d_sums);
  fetch(sums, d_sums);
}
static void second(const std::vector<float> &, float *d_sums, std::vector<float> &sums) {
  sum<<<1, Sums>>>(d_kept, d_sums);
  fetch(sums, d_sums);
}
static void third(const std::vector<float> &, float *d_sums, std::vector<float> &sums) {
  sort<<<1, Sums>>>(d_kept, d_sums);
  fetch(sums, d_sums);
  CHECK(cudaFree(d_kept));
}
#else
static void first(const std::vector<float> &table, float *d_sums, std::vector<float> &sums) {
  float *d_table = made(N * 4);
  CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @first
  sum<<<1, Sums>>>(d_table, d_sums);
  fetch(sums, d_sums);
  CHECK(cudaFree(d_table)); // @first-free
}
static void second(const std::vector<float> &table, float *d_sums, std::vector<float> &sums) {
  float *d_table = made(N * 4);
  CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @second
  sum<<<1, Sums>>>(d_table, d_sums);
  fetch(sums, d_sums);
  CHECK(cudaFree(d_table)); // @second-free
}
static void third(const std::vector<float> &table, float *d_sums, std::vector<float> &sums) {
  float *d_table = made(N * 4);
  CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @third
  sort<<<1, Sums>>>(d_table, d_sums);
  fetch(sums, d_sums);
  CHECK(cudaFree(d_table));
}
#endif

static void fourth(const std::vector<float> &table, float *d_sums, std::vector<float> &sums) {
  float *d_table = made(N * 4);
  CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @fourth
  sum<<<1, Sums>>>(d_table, d_sums);
  fetch(sums, d_sums);
  CHECK(cudaFree(d_table));
}

int main() {
  std::vector<float> table = noise(N), sums(Sums);
  float *d_sums = made(Sums * 4);
  first(table, d_sums, sums);
  second(table, d_sums, sums);
  third(table, d_sums, sums);
  fourth(table, d_sums, sums);
  CHECK(cudaFree(d_sums));
}
