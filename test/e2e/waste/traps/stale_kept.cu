// A kernel puts a buffer's address into a variable, and the host notes which one it was. The next
// buffer gets the same place, so the variable is not set again, and a kernel writes it through that.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__device__ float *kept;

__global__ void keep(float *field) { kept = field; }
__global__ void scaleKept(float by) { kept[threadIdx.x] *= by; }

static const float *g_known;

static void step(float *d_field, float by) {
  if (g_known != d_field) {
    keep<<<1, 1>>>(d_field);
    g_known = d_field;
  }
  scaleKept<<<1, 256>>>(by);
  CHECK(cudaGetLastError());
}

int main() {
  const std::vector<float> field = noise(1 << 16);
  std::vector<float> result(256);
  for (int i = 0; i < 2; ++i) {
    float *d_field;
    CHECK(cudaMalloc(&d_field, field.size() * 4));
    for (int round = 0; round < 8; ++round) {
      CHECK(cudaMemcpy(d_field, field.data(), field.size() * 4, cudaMemcpyHostToDevice));
      step(d_field, round == 7 ? 2 : 1); // what it writes is mostly what is there
      CHECK(cudaMemcpy(result.data(), d_field, 1024, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_field));
  }
  printf("%08x\n", checksum(result));
}
