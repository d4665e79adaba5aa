// Streams that are destroyed through a pointer that the program looks up are no proven leak.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -ldl
// EXPECT-NO: leak proven
// EXPECT-REPORT: *called through pointers, unseen: cudaStreamDestroy*
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  auto destroy =
      reinterpret_cast<cudaError_t (*)(cudaStream_t)>(dlsym(RTLD_DEFAULT, "cudaStreamDestroy"));
  for (int i = 0; i < 3; ++i) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    if (!destroy || destroy(stream))
      return 1;
  }
  puts("done");
}
