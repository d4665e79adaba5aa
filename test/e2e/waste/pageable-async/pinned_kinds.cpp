// Trap: memory that CUDA knows, in each way: allocated, inside an allocation, registered, managed;
// and a copy within the device.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: pageable-async
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <stdlib.h>

int main() {
  constexpr size_t n = 1 << 18, bytes = 4 * n;
  float *pinned, *mapped, *managed, *d_a, *d_b;
  void *registered = aligned_alloc(4096, bytes);
  CHECK(cudaMallocHost(&pinned, 2 * bytes));
  CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped));
  CHECK(cudaHostRegister(registered, bytes, cudaHostRegisterDefault));
  CHECK(cudaMallocManaged(&managed, bytes));
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  uint32_t seed = 1;
  for (float *from : {pinned + n / 2, mapped, (float *)registered, managed}) {
    std::vector<float> next = noise(n, ++seed);
    std::copy(next.begin(), next.end(), from);
    CHECK(cudaMemcpyAsync(d_a, from, bytes, cudaMemcpyDefault, stream));
    CHECK(cudaMemcpyAsync(d_b, d_a, bytes, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemsetAsync(d_b, int(seed), 64, stream));
    CHECK(cudaMemcpyAsync(pinned, d_b, bytes / 2, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x\n", checksum(pinned, bytes / 2));
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaHostUnregister(registered));
  free(registered);
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFreeHost(mapped));
  CHECK(cudaFree(managed));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
}
