// Thrust copies by cudaMemcpyAsync, and waits: a blocking copy to its user, as cudaMemcpy is. What
// the program copies asynchronously itself beside it is told.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: pageable-async advice function=main line=@own count=1 bytes=1MiB
// EXPECT-NO[both]: pageable-async line=@up
// EXPECT-NO[both]: pageable-async line=@down
// EXPECT-NO[twin]: pageable-async
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>

constexpr int N = 1 << 18;

int main() {
  std::vector<float> frame = noise(N), result(N);
  float *data = frame.data();
  thrust::device_vector<float> d_frame(N);
  thrust::copy(data, data + N, d_frame.begin());                   // @up
  thrust::copy(d_frame.begin(), d_frame.end(), result.begin()); // @down
#ifndef FIXED
  CHECK(cudaMemcpyAsync(thrust::raw_pointer_cast(d_frame.data()), result.data(), 4 * N, // @own
                        cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
#endif
  printf("%d\n", result == frame);
}
