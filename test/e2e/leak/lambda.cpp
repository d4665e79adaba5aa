// A lambda allocates for two callers, one of which forgets.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=second line=@leak via=@alloc count=1 bytes=512
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  auto make = [](size_t bytes) {
    float *block;
    CHECK(cudaMalloc(&block, bytes)); // @alloc
    return block;
  };
  float *first = make(256);
  float *second = make(512); // @leak
  CHECK(cudaMemcpy(second, first, 256, cudaMemcpyDeviceToDevice));
  CHECK(cudaFree(first));
#ifdef FIXED
  CHECK(cudaFree(second));
#endif
  puts("done");
}
