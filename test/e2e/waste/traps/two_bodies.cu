// Two units make a kernel of one template each, and a macro gives it another body in one of them: the linker keeps
// one, nobody knows which.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// WITH: Inputs/two_bodies.cu
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@differ
// EXPECT: noop-copy proven line=@agree
// EXPECT-NO: noop-copy proven line=@differ
#define CLEARS
#include "Inputs/two_bodies.h"
#include "../../Inputs/data.h"

constexpr int N = 64 * 256, Rounds = 8;

void addElsewhere(const float *in, float *out, float limit);

int main() {
  std::vector<float> in = noise(N), out(N);
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice)); // @differ
    add<float><<<64, 256>>>(d_in, d_out, 1e30f);
    CHECK(cudaGetLastError());
  }
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice)); // @agree
    scale<float><<<64, 256>>>(d_in, d_out);
    CHECK(cudaGetLastError());
  }
  addElsewhere(d_in, d_out, 1e30f);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
}
