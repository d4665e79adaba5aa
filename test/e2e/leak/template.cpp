// A function template, instantiated twice at one line.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=weights type=double function=main line=@leak via=@alloc via-function=deviceArray<double> count=1 bytes=8000 elements=1000
// EXPECT-ALL
// EXPECT-SITE: kind=alloc line=@samples via=@alloc via-function=deviceArray<float> calls=1 bytes=4000
// EXPECT-SITE: kind=alloc line=@leak via=@alloc via-function=deviceArray<double> calls=1 bytes=8000
#include "../Inputs/check.h"

#include <cuda_runtime.h>

template <typename T> T *deviceArray(size_t n) {
  T *array;
  CHECK(cudaMalloc(&array, n * sizeof(T))); // @alloc
  return array;
}

int main() {
  float *samples = deviceArray<float>(1000); // @samples
  double *weights = deviceArray<double>(1000); // @leak
  CHECK(cudaFree(samples));
#ifdef FIXED
  CHECK(cudaFree(weights));
#else
  (void)weights;
#endif
  puts("done");
}
