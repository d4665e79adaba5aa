// Copies into parts of a buffer, between buffers and with managed memory: all inside.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: out-of-bounds-copy
// EXPECT-NO: copy-after-free
// EXPECT-SITE: kind=copy line=@middle calls=8 bytes=8192
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <vector>

int main() {
  std::vector<char> host(8192);
  char *d_ring, *managed, *pinned, *d_other;
  CHECK(cudaMalloc(&d_ring, 8192));
  CHECK(cudaMalloc(&d_other, 8192));
  CHECK(cudaMallocManaged(&managed, 8192));
  CHECK(cudaMallocHost(&pinned, 8192));
  for (size_t i = 0; i < 8; ++i)
    CHECK(cudaMemcpy(d_ring + 1024 * i, host.data(), 1024, cudaMemcpyHostToDevice)); // @middle
  CHECK(cudaMemcpy(d_other + 8191, d_ring + 8191, 1, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(managed + 4096, d_ring, 4096, cudaMemcpyDefault));
  CHECK(cudaMemcpy(managed, managed + 4096, 4096, cudaMemcpyDefault));
  CHECK(cudaMemcpy(pinned + 1, d_ring, 8191, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(d_ring, host.data(), 0, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_ring + 8192, 0, 0));
  CHECK(cudaFree(d_ring));
  CHECK(cudaFree(d_other));
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  puts("done");
}
