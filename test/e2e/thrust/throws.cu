// Thrust throws out of an instrumented call: the lines after it stay right.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_late function=main line=@late count=1 bytes=512
// EXPECT-ALL
// EXPECT: out-of-memory information
// EXPECT-STDOUT[both]: too large
#include <thrust/device_vector.h>

#include <cstdio>
#include <new>

int main() {
  for (int i = 0; i < 3; ++i)
    try {
      thrust::device_vector<char> huge(size_t(1) << 46);
      std::printf("%zu\n", huge.size());
    } catch (const std::bad_alloc &) {
      std::puts("too large");
    }
  void *d_late;
  if (cudaMalloc(&d_late, 512) != cudaSuccess) // @late
    return 1;
#ifdef FIXED
  if (cudaFree(d_late) != cudaSuccess)
    return 2;
#endif
}
