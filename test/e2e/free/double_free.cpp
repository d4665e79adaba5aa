// One buffer, freed by its user and by its owner.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: double-free proven variable=*d_samples function=main line=@again via=@second via-function=Owner::close related=@consumed count=1
// EXPECT-ALL
// EXPECT-REPORT: double-free*d_samples*double_free.cpp:{@again}*main
// EXPECT-REPORT: via double_free.cpp:{@second} Owner::close
#include "../Inputs/check.h"

#include <cuda_runtime.h>

struct Owner {
  float *d_samples;
  bool close() {
    return cudaFree(d_samples) == cudaSuccess; // @second
  }
};

static void consume(float *d_samples) {
  CHECK(cudaFree(d_samples));
}

int main() {
  Owner owner;
  CHECK(cudaMalloc(&owner.d_samples, 65536));
#ifdef FIXED
  printf("closed %d\n", owner.close());
#else
  consume(owner.d_samples); // @consumed
  printf("closed %d\n", owner.close()); // @again
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
#endif
  (void)&consume;
}
