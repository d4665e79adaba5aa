// A global object frees when CUDA is gone already: neither a leak nor an ignored error.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-NO: ignored-error
// EXPECT-SITE: kind=alloc line=@open via=@alloc calls=1
// EXPECT-STDOUT: closing
#include "../Inputs/check.h"

struct Cache {
  ~Cache() {
    puts("closing");
    cudaFree(data);
    cudaStreamDestroy(stream);
  }
  void open() {
    CHECK(cudaMalloc(&data, 1 << 16)); // @alloc
    CHECK(cudaStreamCreate(&stream));
  }
  void *data = nullptr;
  cudaStream_t stream = nullptr;
};

static Cache cache;

int main() { cache.open(); } // @open
