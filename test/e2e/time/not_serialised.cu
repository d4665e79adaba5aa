// One long upload and kernels; then a loop whose copies are small beside them: nothing to advise.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ONLY: gpu
// OPTIONS: gpu_time=exact:audit=off:verbose=1
// EXPECT-NO: serialised
// EXPECT-SITE: line=@flag device-method=exact device-operations=200
#include "../Inputs/check.h"

#include <cuda_runtime.h>

constexpr size_t Bytes = 512 << 20;

__global__ void work(char *data, long long cycles) {
  for (long long start = clock64(); clock64() - start < cycles;)
    ;
  *data += 1;
}

int main() {
  char *h_data, *d_data;
  CHECK(cudaMallocHost(&h_data, Bytes));
  CHECK(cudaMalloc(&d_data, Bytes));
  CHECK(cudaMemcpy(d_data, h_data, Bytes, cudaMemcpyHostToDevice));
  work<<<1, 1>>>(d_data, 20000000);
  CHECK(cudaMemcpy(h_data, d_data, Bytes, cudaMemcpyDeviceToHost));
  for (int round = 0; round < 200; ++round) {
    work<<<1, 1>>>(d_data, 500000);
    CHECK(cudaMemcpy(h_data, d_data, 64, cudaMemcpyDeviceToHost)); // @flag
  }
  CHECK(cudaFree(d_data));
  CHECK(cudaFreeHost(h_data));
}
