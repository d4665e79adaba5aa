// A block of arguments, with pointers in it, goes to the device before each launch, and so does a
// table of rows: the kernels follow the pointers and write where they lead, never into the block or
// the table.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=Solver::step line=@block variable=this->d_block count=19
// EXPECT: noop-copy proven function=Solver::step line=@table variable=this->d_rows count=19
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1024, Rows = 8, Rounds = 20;

struct Block {
  const float *in;
  float *out;
  float by;
  int n;
};

__host__ __device__ inline void stepAt(unsigned i, const Block *block) {
  if (int(i) < block->n)
    block->out[i] = block->out[i] * 0.5f + block->in[i] * block->by;
}
__global__ void stepOf(const Block *block) { stepAt(globalThread(), block); }
SIMULATED(stepOf, stepAt)

__host__ __device__ inline void addAt(unsigned i, float **rows, const float *from) {
  for (int row = 0; row < Rows; ++row)
    rows[row][i % (N / Rows)] += from[i];
}
__global__ void add(float **rows, const float *from) { addAt(globalThread(), rows, from); }
SIMULATED(add, addAt)

class Solver {
public:
  Solver() {
    CHECK(cudaMalloc(&d_in, N * 4));
    CHECK(cudaMalloc(&d_out, N * 4));
    CHECK(cudaMalloc(&d_sums, N * 4));
    CHECK(cudaMalloc(&d_block, sizeof(Block)));
    CHECK(cudaMalloc(&d_rows, sizeof rows));
    CHECK(cudaMemcpy(d_in, noise(N).data(), N * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, N * 4));
    CHECK(cudaMemset(d_sums, 0, N * 4));
    block = {d_in, d_out, 0.25f, N};
    for (int i = 0; i < Rows; ++i)
      rows[i] = d_sums + i * (N / Rows);
#ifdef FIXED
    CHECK(cudaMemcpy(d_block, &block, sizeof block, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
#endif
  }
  void step() {
#ifndef FIXED
    CHECK(cudaMemcpy(d_block, &block, sizeof block, cudaMemcpyHostToDevice)); // @block
#endif
    stepOf<<<N / 256, 256>>>(d_block);
#ifndef FIXED
    CHECK(cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice)); // @table
#endif
    add<<<1, N / Rows>>>(d_rows, d_out);
    CHECK(cudaGetLastError());
  }
  void print() {
    std::vector<float> sums(N);
    CHECK(cudaMemcpy(sums.data(), d_sums, N * 4, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(sums));
  }
  ~Solver() {
    for (float *d : {d_in, d_out, d_sums})
      CHECK(cudaFree(d));
    CHECK(cudaFree(d_block));
    CHECK(cudaFree(d_rows));
  }

private:
  Block block, *d_block;
  float *rows[Rows], **d_rows;
  float *d_in, *d_out, *d_sums;
};

int main() {
  Solver solver;
  for (int i = 0; i < Rounds; ++i)
    solver.step();
  solver.print();
}
