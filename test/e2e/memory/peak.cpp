// The peak is a moment in the middle; what is held then is named.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: verbose=1
// EXPECT-CLEAN
// EXPECT-DEVICE: peak_bytes=9437184
// EXPECT-PEAK: variable=d_large memory=device bytes=8388608 count=1 line=@large
// EXPECT-PEAK: variable=d_small memory=device bytes=1048576 count=1 line=@small
// EXPECT-REPORT: peak 9.44 MB
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  float *d_small, *d_large, *d_after;
  CHECK(cudaMalloc(&d_small, 1 << 20)); // @small
  CHECK(cudaMalloc(&d_large, 8 << 20)); // @large
  CHECK(cudaFree(d_large));
  CHECK(cudaMalloc(&d_after, 4 << 20));
  CHECK(cudaFree(d_after));
  CHECK(cudaFree(d_small));
  puts("done");
}
