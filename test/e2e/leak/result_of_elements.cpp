// A function that returns what it picks from its own pinned memory: the names are those of its lines.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// EXPECT: leak proven line=@staging variable=staging memory=pinned count=1
// EXPECT: invalid-free proven line=@free variable=staging
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <vector>

std::vector<int> picked(const int *table, int n) {
  int *staging;
  CHECK(cudaMallocHost(&staging, n * sizeof(int))); // @staging
  CHECK(cudaMemcpy(staging, table, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> result;
  result.reserve(n);
  for (int i = 0; i < n; ++i)
    if (staging[i] != 7)
      result.push_back(staging[i]);
  if (cudaFree(staging) == cudaSuccess) // @free
    printf("freed\n");
  return result;
}

int main() {
  int *table;
  CHECK(cudaMalloc(&table, 4096));
  CHECK(cudaMemset(table, 1, 4096));
  std::vector<int> out = picked(table, 1024);
  printf("%d\n", out[5]);
  CHECK(cudaFree(table));
}
