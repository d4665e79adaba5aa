// Pitched extents: the last row ends before the pitch does, and that is legal.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: out-of-bounds-copy proven variable=d_image function=main line=@height count=1
// EXPECT-ALL
// EXPECT-NO: out-of-bounds-copy line=@legal
// EXPECT-SITE[both]: kind=copy line=@legal calls=1 failed=0 bytes=38400
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <vector>

int main() {
  const size_t width = 600, height = 64;
  std::vector<char> rows(width * (height + 1));
  char *d_image, *d_tight;
  size_t pitch;
  CHECK(cudaMallocPitch(&d_image, &pitch, width, height));
  CHECK(cudaMemcpy2D(d_image, pitch, rows.data(), width, width, height, cudaMemcpyHostToDevice)); // @legal

  // Rows of 512 bytes in a buffer that ends with the last row's 100: (h-1)*pitch+width bytes.
  CHECK(cudaMalloc(&d_tight, 15 * 512 + 100));
  CHECK(cudaMemcpy2D(d_tight, 512, rows.data(), 100, 100, 16, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(d_tight, 512, 1, 100, 16));

#ifndef FIXED
  cudaError_t status =
      cudaMemcpy2D(d_image, pitch, rows.data(), width, width, height + 1, cudaMemcpyHostToDevice); // @height
  if (status != cudaSuccess)
    cudaGetLastError(); // clear it
#endif
  CHECK(cudaFree(d_image));
  CHECK(cudaFree(d_tight));
  puts("done");
}
