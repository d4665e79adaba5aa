// Managed memory.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=managed variable=particles type=Particle function=simulate line=@leak count=1 bytes=32000
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

struct Particle {
  float position[3], velocity[3], mass, charge;
};

static float simulate(int n) {
  Particle *particles;
  CHECK(cudaMallocManaged(&particles, n * sizeof(Particle))); // @leak
  for (int i = 0; i < n; ++i)
    particles[i].mass = 2;
  float mass = particles[n - 1].mass;
#ifdef FIXED
  CHECK(cudaFree(particles));
#endif
  return mass;
}

int main() { printf("%g\n", simulate(1000)); }
