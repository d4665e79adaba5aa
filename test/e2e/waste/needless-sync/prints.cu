// The wait before a free brings what kernels have printed, which the free does not: so the advice says. A copy that
// blocks brings it.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: needless-sync advice function=main line=@free count=4 fix="drop it; keep it where kernels print"
// EXPECT: needless-sync advice function=main line=@copy count=4 fix="drop it"
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

__global__ void step(float *x) {
  if (threadIdx.x == 0)
    printf("%g\n", x[0]);
  x[threadIdx.x] = 1.5f * x[threadIdx.x] + 0.25f;
}

int main() {
  std::vector<float> x = noise(256);
  for (int i = 0; i < 4; ++i) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, 1024));
    CHECK(cudaMemcpy(d_x, x.data(), 1024, cudaMemcpyHostToDevice));
    step<<<1, 256>>>(d_x);
    CHECK(cudaDeviceSynchronize()); // @free
    CHECK(cudaFree(d_x));
  }
  float *d_x;
  CHECK(cudaMalloc(&d_x, 1024));
  CHECK(cudaMemcpy(d_x, x.data(), 1024, cudaMemcpyHostToDevice));
  for (int i = 0; i < 4; ++i) {
    step<<<1, 256>>>(d_x);
    CHECK(cudaDeviceSynchronize()); // @copy
    CHECK(cudaMemcpy(x.data(), d_x, 1024, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(d_x));
  printf("%08x\n", checksum(x));
}
