// A 64-byte block of parameters is sent in every step; only its first version was news.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@parameters variable=d_parameters count=39 bytes=2496
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

struct Parameters {
  float gravity = 9.81f, drag = 0.1f, dt = 0.01f, wind[13] = {0.5f, 1.5f};
};

__host__ __device__ inline void moveAt(unsigned i, const Parameters *p, float *v) {
  v[i] += p->dt * (p->wind[i % 2] - p->drag * v[i] - p->gravity);
}
__global__ void move(const Parameters *p, float *v) { moveAt(globalThread(), p, v); }
SIMULATED(move, moveAt)

int main() {
  Parameters parameters, *d_parameters;
  std::vector<float> v = noise(1 << 14);
  float *d_v;
  CHECK(cudaMalloc(&d_parameters, sizeof(Parameters)));
  CHECK(cudaMalloc(&d_v, v.size() * 4));
  CHECK(cudaMemcpy(d_v, v.data(), v.size() * 4, cudaMemcpyHostToDevice));
#ifdef FIXED
  CHECK(cudaMemcpy(d_parameters, &parameters, sizeof(Parameters), cudaMemcpyHostToDevice));
#endif
  for (int step = 0; step < 40; ++step) {
#ifndef FIXED
    CHECK(cudaMemcpy(d_parameters, &parameters, sizeof(Parameters), cudaMemcpyHostToDevice)); // @parameters
#endif
    move<<<128, 128>>>(d_parameters, d_v);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(v.data(), d_v, v.size() * 4, cudaMemcpyDeviceToHost));
  printf("v=%.2f\n", v[17]);
  CHECK(cudaFree(d_parameters));
  CHECK(cudaFree(d_v));
}
