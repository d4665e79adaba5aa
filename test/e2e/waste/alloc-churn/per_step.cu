// A temporary is allocated and freed in every time step.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full verbose=1
// EXPECT: alloc-churn advice function=step line=@alloc variable=d_flux count>=7 count<=8 bytes>=7MiB
// EXPECT-ALL
// EXPECT-REPORT: alloc-churn*d_flux*per_step.cu:{@alloc}*step
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void fluxAt(unsigned i, const float *u, float *flux) {
  flux[i] = 0.5f * (u[i] - u[i ? i - 1 : N - 1]);
}
__global__ void fluxes(const float *u, float *flux) { fluxAt(globalThread(), u, flux); }
SIMULATED(fluxes, fluxAt)
__host__ __device__ inline void advanceAt(unsigned i, const float *flux, float *u) {
  u[i] -= flux[i];
}
__global__ void advance(const float *flux, float *u) { advanceAt(globalThread(), flux, u); }
SIMULATED(advance, advanceAt)

static void step(float *d_u, float *d_flux) {
#ifndef FIXED
  CHECK(cudaMalloc(&d_flux, 4 * N)); // @alloc
#endif
  fluxes<<<N / 256, 256>>>(d_u, d_flux);
  advance<<<N / 256, 256>>>(d_flux, d_u);
  CHECK(cudaGetLastError());
#ifndef FIXED
  CHECK(cudaFree(d_flux));
#endif
}

int main() {
  std::vector<float> u = noise(N);
  float *d_u, *d_flux = nullptr;
  CHECK(cudaMalloc(&d_u, 4 * N));
#ifdef FIXED
  CHECK(cudaMalloc(&d_flux, 4 * N));
#endif
  CHECK(cudaMemcpy(d_u, u.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 8; ++i)
    step(d_u, d_flux);
  CHECK(cudaMemcpy(u.data(), d_u, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(u));
  CHECK(cudaFree(d_u));
#ifdef FIXED
  CHECK(cudaFree(d_flux));
#endif
}
