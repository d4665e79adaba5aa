// The stencil's coefficients go to constant memory in every step; cudart shared and static.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc clang-static nvcc-static
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@coefficients count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 4096, Steps = 14;
__constant__ float c_coefficients[N];

__global__ void apply(float *x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += c_coefficients[threadIdx.x];
}

int main() {
  std::vector<float> coefficients = noise(N), x(1 << 16);
  float *d_x, first;
  CHECK(cudaMalloc(&d_x, x.size() * 4));
  CHECK(cudaMemset(d_x, 0, x.size() * 4));
  for (int step = 0; step < Steps; ++step) {
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpyToSymbol(c_coefficients, coefficients.data(), N * 4)); // @coefficients
    apply<<<unsigned(x.size() / 256), 256>>>(d_x);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpyFromSymbol(&first, c_coefficients, 4, 44));
  CHECK(cudaDeviceSynchronize());
  printf("%g\n", first);
  CHECK(cudaFree(d_x));
}
