// Result buffers are uploaded before the kernels that write them: one downloads its sums, one hands
// them to the next kernel. One clears its row and counts in it; what another counts in, which memory
// decides, may lie elsewhere.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy likely function=main line=@sums variable=d_sums related=@reduce count=1 bytes=16KiB
// EXPECT: dead-copy likely function=main line=@half variable=d_half related=@halve count=1 bytes=1MiB
// EXPECT: dead-copy advice function=main line=@ends variable=d_ends related=@inner count=1 bytes=1MiB
// EXPECT: dead-copy likely function=main line=@wins variable=d_wins related=@win count=1 bytes=64KiB
// EXPECT-REPORT: dead-copy*d_sums*overwritten_by_kernel.cu:{@sums}*main
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Rows = 4096;

__host__ __device__ inline void reduceAt(unsigned i, const float *x, float *sums) {
  if (i >= Rows)
    return;
  sums[i] = 1;
  for (int k = 0; k < N / Rows; ++k)
    sums[i] += x[k * Rows + i];
}
__global__ void reduce(const float *x, float *sums) { reduceAt(globalThread(), x, sums); }
SIMULATED(reduce, reduceAt)

__host__ __device__ inline void halveAt(unsigned i, const float *x, float *half) {
  if (i < N)
    half[i] = 2 + x[i] / 2;
}
__global__ void halve(const float *x, float *half) { halveAt(globalThread(), x, half); }
SIMULATED(halve, halveAt)

__host__ __device__ inline void innerAt(unsigned i, const float *half, float *ends) {
  if (i > 0 && i < N - 1)
    ends[i] = half[i - 1] + half[i + 1];
}
__global__ void inner(const float *half, float *ends) { innerAt(globalThread(), half, ends); }
SIMULATED(inner, innerAt)

constexpr int Of = 16;

__host__ __device__ inline void winAt(unsigned i, const float *x, int *wins, int n, int rounds) {
  int k, best;
  if (i >= Rows / 4 || n < 1) // without elements in a row, n - 1 would lie in front of it
    return;
  for (k = 0; k < n; ++k)
    wins[i * n + k] = 3;
  for (int round = 0; round < rounds; ++round) {
    best = n - 1;
    for (k = 0; k < n - 1; ++k)
      if (x[round * n + k] > x[round * n + best])
        best = k;
    wins[i * n + best] += 1;
  }
}
__global__ void win(const float *x, int *wins, int n, int rounds) {
  winAt(globalThread(), x, wins, n, rounds);
}
SIMULATED(win, winAt)

__host__ __device__ inline void voteAt(unsigned i, const float *x, int *votes, int n, int rounds) {
  if (i >= Rows / 4)
    return;
  for (int k = 0; k < n; ++k)
    votes[i * n + k] = 3;
  for (int round = 0; round < rounds; ++round)
    votes[i * n + (x[round] > 0.5f ? n - 1 : 0)] += 1;
}
__global__ void vote(const float *x, int *votes, int n, int rounds) {
  voteAt(globalThread(), x, votes, n, rounds);
}
SIMULATED(vote, voteAt)

int main() {
  std::vector<float> x = noise(N), sums = noise(Rows, 2), half = noise(N, 3), ends = noise(N, 4);
  float *d_x, *d_sums, *d_half, *d_ends;
  std::vector<int> wins(Rows / 4 * Of), votes(Rows / 4 * Of);
  int *d_wins, *d_votes;
  for (size_t i = 0; i < wins.size(); ++i)
    votes[i] = wins[i] = int(1000 + i);
  CHECK(cudaMalloc(&d_wins, 4 * wins.size()));
  CHECK(cudaMalloc(&d_votes, 4 * votes.size()));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * Rows));
  CHECK(cudaMalloc(&d_half, 4 * N));
  CHECK(cudaMalloc(&d_ends, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
#ifdef FIXED
  CHECK(cudaMemcpy(d_ends, ends.data(), 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_ends + N - 1, &ends[N - 1], 4, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(d_sums, sums.data(), 4 * Rows, cudaMemcpyHostToDevice)); // @sums
  CHECK(cudaMemcpy(d_half, half.data(), 4 * N, cudaMemcpyHostToDevice));    // @half
  CHECK(cudaMemcpy(d_ends, ends.data(), 4 * N, cudaMemcpyHostToDevice));    // @ends
  CHECK(cudaMemcpy(d_wins, wins.data(), 4 * wins.size(), cudaMemcpyHostToDevice)); // @wins
#endif
  CHECK(cudaMemcpy(d_votes, votes.data(), 4 * votes.size(), cudaMemcpyHostToDevice));
  reduce<<<Rows / 256, 256>>>(d_x, d_sums); // @reduce
  halve<<<N / 256, 256>>>(d_x, d_half);     // @halve
  inner<<<N / 256, 256>>>(d_half, d_ends);  // @inner
  win<<<Rows / 256, 256>>>(d_x, d_wins, Of, 50); // @win
  vote<<<Rows / 256, 256>>>(d_x, d_votes, Of, 50);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, 4 * Rows, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ends.data(), d_ends, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(wins.data(), d_wins, 4 * wins.size(), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(votes.data(), d_votes, 4 * votes.size(), cudaMemcpyDeviceToHost));
  printf("%08x %08x %08x %08x\n", checksum(sums), checksum(ends), checksum(wins), checksum(votes));
  CHECK(cudaFree(d_wins));
  CHECK(cudaFree(d_votes));
  for (float *d : {d_x, d_sums, d_half, d_ends})
    CHECK(cudaFree(d));
}
