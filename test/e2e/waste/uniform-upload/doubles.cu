// Weights that are all the same are uploaded as doubles, as are positions of which one is another.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: uniform-upload advice function=main line=@weights variable=d_weights count=1
// EXPECT: uniform-upload advice function=main line=@positions count=1 bytes=128KiB
// EXPECT-NO: uniform-upload line=@quads
// EXPECT-NO: reupload
// EXPECT-REPORT: *fill d_weights by a kernel: cudaMemset and cuMemsetD32 know no*
// EXPECT-REPORT: *131 kB uploaded, equal but for 1 of 16384 words of 8 bytes*
// EXPECT-ALL
// EXPECT-NO[twin]: uniform-upload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr unsigned N = 1 << 14;

struct Quad {
  double a, b;
};

__host__ __device__ inline void fillAt(unsigned i, double value, double *out) { out[i] = value; }
__global__ void fill(double value, double *out) { fillAt(globalThread(), value, out); }
SIMULATED(fill, fillAt)
__host__ __device__ inline void moveAt(unsigned i, const double *weights, const Quad *quads,
                                       double *positions) {
  positions[i] += weights[i] * double(i) + quads[i % 4096].a - quads[i % 4096].b;
}
__global__ void move(const double *weights, const Quad *quads, double *positions) {
  moveAt(globalThread(), weights, quads, positions);
}
SIMULATED(move, moveAt)

int main() {
  std::vector<double> weights(N, 1.0 / 3), positions(N, 64.1);
  std::vector<Quad> quads(4096, Quad{0.1, 0.7});
  positions[7] = 0;
  double *d_weights, *d_positions;
  Quad *d_quads;
  CHECK(cudaMalloc(&d_weights, 8 * N));
  CHECK(cudaMalloc(&d_positions, 8 * N));
  CHECK(cudaMalloc(&d_quads, 16 * 4096));
#ifdef FIXED
  fill<<<N / 256, 256>>>(weights[0], d_weights);
  fill<<<N / 256, 256>>>(positions[0], d_positions);
  CHECK(cudaMemcpy(d_positions + 7, &positions[7], 8, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(d_weights, weights.data(), 8 * N, cudaMemcpyHostToDevice));     // @weights
  CHECK(cudaMemcpy(d_positions, positions.data(), 8 * N, cudaMemcpyHostToDevice)); // @positions
#endif
  CHECK(cudaMemcpy(d_quads, quads.data(), 16 * 4096, cudaMemcpyHostToDevice)); // @quads
  move<<<N / 256, 256>>>(d_weights, d_quads, d_positions);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(positions.data(), d_positions, 8 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(positions));
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_positions));
  CHECK(cudaFree(d_quads));
}
