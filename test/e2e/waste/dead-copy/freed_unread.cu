// The normals of a mesh go up with it, but no kernel takes them.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: dead-copy likely function=main line=@normals variable=d_normals count=1 bytes=3MiB
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void lengthAt(unsigned i, const float *points, float *length) {
  const float *p = points + 3 * i;
  length[i] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
}
__global__ void lengths(const float *points, float *length) {
  lengthAt(globalThread(), points, length);
}
SIMULATED(lengths, lengthAt)

int main() {
  std::vector<float> points = noise(3 * N), normals = noise(3 * N, 5), length(N);
  float *d_points, *d_normals = nullptr, *d_length;
  CHECK(cudaMalloc(&d_points, 12 * N));
  CHECK(cudaMalloc(&d_length, 4 * N));
  CHECK(cudaMemcpy(d_points, points.data(), 12 * N, cudaMemcpyHostToDevice));
#ifndef FIXED
  CHECK(cudaMalloc(&d_normals, 12 * N));
  CHECK(cudaMemcpy(d_normals, normals.data(), 12 * N, cudaMemcpyHostToDevice)); // @normals
#endif
  lengths<<<N / 256, 256>>>(d_points, d_length);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(length.data(), d_length, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(length));
  CHECK(cudaFree(d_points));
  CHECK(cudaFree(d_normals));
  CHECK(cudaFree(d_length));
}
