// A breadth-first search: the host clears a flag, the kernel sets it when the frontier grows. Near
// the end it stays as the host sent it, and is sent again all the same.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-STDOUT: 20 levels
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Nodes = 4096;

/// A chain of ten levels; each search starts at one of two ends, and most rounds change nothing.
__host__ __device__ inline void visitAt(unsigned i, const int *edge, int level, int *distance,
                                        bool *grown) {
  if (distance[i] != level || edge[i] < 0 || distance[edge[i]] >= 0)
    return;
  distance[edge[i]] = level + 1;
  *grown = true;
}
__global__ void visit(const int *edge, int level, int *distance, bool *grown) {
  visitAt(globalThread(), edge, level, distance, grown);
}
SIMULATED(visit, visitAt)

int main() {
  std::vector<int> edge(Nodes, -1), distance(Nodes);
  for (int i = 0; i < 10; ++i)
    edge[i * 100] = (i + 1) * 100;
  int *d_edge, *d_distance, levels = 0;
  bool *d_grown;
  CHECK(cudaMalloc(&d_edge, 4 * Nodes));
  CHECK(cudaMalloc(&d_distance, 4 * Nodes));
  CHECK(cudaMalloc(&d_grown, 1));
  CHECK(cudaMemcpy(d_edge, edge.data(), 4 * Nodes, cudaMemcpyHostToDevice));
  for (int start : {0, 7, 11, 13, 0, 17, 19}) {
    distance.assign(Nodes, -1);
    distance[start] = 0;
    CHECK(cudaMemcpy(d_distance, distance.data(), 4 * Nodes, cudaMemcpyHostToDevice));
    bool grown = true;
    for (int level = 0; grown; ++level) {
      grown = false;
      CHECK(cudaMemcpy(d_grown, &grown, 1, cudaMemcpyHostToDevice));
      visit<<<Nodes / 256, 256>>>(d_edge, level, d_distance, d_grown);
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpy(&grown, d_grown, 1, cudaMemcpyDeviceToHost));
      levels += grown;
    }
  }
  printf("%d levels\n", levels);
  CHECK(cudaFree(d_edge));
  CHECK(cudaFree(d_distance));
  CHECK(cudaFree(d_grown));
}
