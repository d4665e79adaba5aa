// CUB sorts a few keys in one block, which needs no temporary memory. The call wants it all the
// same: without it, it would only tell how much. Memory that CUB was not given is unused.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: unused-allocation likely function=main line=@spare count=1 bytes=1KiB
// EXPECT-ALL
// EXPECT-NO[twin]: *
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cub/device/device_radix_sort.cuh>

constexpr int N = 64;

int main() {
  std::vector<float> keys = noise(N);
  float *d_keys, *d_sorted;
  CHECK(cudaMalloc(&d_keys, 4 * N));
  CHECK(cudaMalloc(&d_sorted, 4 * N));
  CHECK(cudaMemcpy(d_keys, keys.data(), 4 * N, cudaMemcpyHostToDevice));
  void *d_temp = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(d_temp, bytes, d_keys, d_sorted, N));
  CHECK(cudaMalloc(&d_temp, bytes)); // @temp
  CHECK(cub::DeviceRadixSort::SortKeys(d_temp, bytes, d_keys, d_sorted, N));
#ifndef FIXED
  void *d_spare;
  CHECK(cudaMalloc(&d_spare, 1024)); // @spare
  CHECK(cudaFree(d_spare));
#endif
  CHECK(cudaMemcpy(keys.data(), d_sorted, 4 * N, cudaMemcpyDeviceToHost));
  for (void *d : {static_cast<void *>(d_keys), static_cast<void *>(d_sorted), d_temp})
    CHECK(cudaFree(d));
}
