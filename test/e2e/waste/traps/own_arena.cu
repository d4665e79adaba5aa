// A program's own arena gives out pieces of one allocation: the same place, another purpose.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr size_t Piece = 1 << 20;

__host__ __device__ inline void mixAt(unsigned i, const float *in, float *out) {
  out[i] = 0.5f * out[i] + in[i];
}
__global__ void mix(const float *in, float *out) { mixAt(globalThread(), in, out); }
SIMULATED(mix, mixAt)

struct Arena {
  explicit Arena(size_t bytes) { CHECK(cudaMalloc(&d_base, bytes)); }
  ~Arena() { CHECK(cudaFree(d_base)); }
  float *take() { return reinterpret_cast<float *>(d_base + Piece * used++); }
  char *d_base = nullptr;
  size_t used = 0;
};

int main() {
  Arena arena(4 * Piece);
  std::vector<float> in(Piece / 4), out(Piece / 4);
  for (int round = 0; round < 9; ++round) {
    arena.used = round % 2; // pieces move by one in every second round
    float *d_in = arena.take(), *d_out = arena.take();
    in = noise(Piece / 4, round + 1);
    CHECK(cudaMemset(d_out, 0, Piece));
    CHECK(cudaMemcpy(d_in, in.data(), Piece, cudaMemcpyHostToDevice));
    mix<<<Piece / 1024, 256>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, Piece, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
  }
}
