// The filter's coefficients go to constant memory once for every image that is loaded.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=setFilter line=@symbol caller=@load count=4 bytes=64KiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

__constant__ float c_filter[4096];

static void setFilter(const std::vector<float> &filter) {
  CHECK(cudaMemcpyToSymbol(c_filter, filter.data(), filter.size() * 4)); // @symbol
}

int main() {
  std::vector<float> filter = noise(4096), image(1 << 18), first(5), taps(5);
  float *d_images[5];
#ifdef FIXED
  setFilter(filter);
#endif
  for (int i = 0; i < 5; ++i) {
#ifndef FIXED
    setFilter(filter); // @load
#endif
    image = noise(image.size(), i + 10);
    CHECK(cudaMalloc(&d_images[i], image.size() * 4));
    CHECK(cudaMemcpy(d_images[i], image.data(), image.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&first[i], d_images[i], 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&taps[i], c_filter, 4, i * 4));
  }
  printf("%08x %08x\n", checksum(first), checksum(taps));
  for (float *d_image : d_images)
    CHECK(cudaFree(d_image));
}
