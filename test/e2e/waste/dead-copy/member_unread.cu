// The normals of a mesh go up with it, in the same struct by value, but the kernel does not look at
// them. Silent: what it reads, what a callee may read, and what lies where the index is a variable.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: dead-copy likely function=main line=@normals variable=mesh.normals count=1 bytes=3MiB
// EXPECT: unused-allocation likely function=main line=@spare variable=mesh.spare count=1 bytes=1MiB
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
// EXPECT-NO[twin]: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

struct Mesh {
  const float *points;
  const float *normals;
  float *length;
  float *spare;
  unsigned n;
};
struct Scale {
  const float *weights, *offsets;
  const float *rows[2];
};

__host__ __device__ inline float scaled(const Scale &s, unsigned i) {
  return s.weights ? s.weights[i] + s.offsets[i] : 0;
}
__host__ __device__ inline void lengthAt(unsigned i, const float *p, float *length) {
  length[i] = p[3 * i] * p[3 * i] + p[3 * i + 1] * p[3 * i + 1] + p[3 * i + 2] * p[3 * i + 2];
}
#define LENGTHS(i)                                                                                 \
  if (i < mesh.n) {                                                                                \
    lengthAt(i, mesh.points, mesh.length);                                                         \
    mesh.length[i] += scale.rows[which][i] + scaled(scale, i);                                      \
  }
__host__ __device__ inline void lengthsAt(unsigned i, Mesh mesh, Scale scale, int which) {
  LENGTHS(i)
}
__global__ void lengths(Mesh mesh, Scale scale, int which) { LENGTHS(globalThread()) }
SIMULATED(lengths, lengthsAt)

int main() {
  std::vector<float> points = noise(3 * N), normals = noise(3 * N, 5), length(N);
  Mesh mesh = {};
  Scale scale = {};
  float *rows[2], *weights, *offsets, *d_points;
  CHECK(cudaMalloc(&d_points, 12 * N));
  CHECK(cudaMalloc(&mesh.length, 4 * N));
  CHECK(cudaMemcpy(d_points, points.data(), 12 * N, cudaMemcpyHostToDevice));
  mesh.points = d_points;
  mesh.n = N;
  for (float *&row : rows) {
    CHECK(cudaMalloc(&row, 4 * N));
    CHECK(cudaMemcpy(row, points.data(), 4 * N - 4, cudaMemcpyHostToDevice));
    points[0] += 1;
  }
  scale.rows[0] = rows[0];
  scale.rows[1] = rows[1];
  CHECK(cudaMalloc(&weights, 4 * N));
  CHECK(cudaMalloc(&offsets, 4 * N));
  CHECK(cudaMemcpy(weights, normals.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(offsets, normals.data() + N, 4 * N, cudaMemcpyHostToDevice));
  scale.weights = weights;
  scale.offsets = offsets;
#ifndef FIXED
  CHECK(cudaMalloc(&mesh.normals, 12 * N));
  CHECK(cudaMemcpy((void *)mesh.normals, normals.data(), 12 * N, cudaMemcpyHostToDevice)); // @normals
  CHECK(cudaMalloc(&mesh.spare, 4 * N)); // @spare
#endif
  lengths<<<N / 256, 256>>>(mesh, scale, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(length.data(), mesh.length, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(length));
  for (const float *p : {mesh.points, mesh.normals, scale.rows[0], scale.rows[1], scale.weights,
                         scale.offsets, (const float *)mesh.length, (const float *)mesh.spare})
    CHECK(cudaFree((void *)p));
}
