// The border of a field goes to the host for the neighbours and comes back; there is one rank only.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip function=exchange line=@back variable=d_field count=8 bytes=8MiB
// EXPECT-REPORT: *fix: upload only where the host changes what it got at*
// EXPECT-NO[twin]: * proven
// EXPECT-NO[twin]: * likely
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20, Border = 1 << 18;

__host__ __device__ inline void diffuseAt(unsigned i, float *field) {
  field[i] = 0.75f * field[i] + 0.001f * float(i % 7);
}
__global__ void diffuse(float *field) { diffuseAt(globalThread(), field); }
SIMULATED(diffuse, diffuseAt)

static void exchange(float *d_field, float *border, int ranks) {
#ifdef FIXED
  if (ranks == 1)
    return;
#endif
  CHECK(cudaMemcpy(border, d_field, Border * 4, cudaMemcpyDeviceToHost));
  if (ranks > 1)
    puts("send and receive");
  CHECK(cudaMemcpy(d_field, border, Border * 4, cudaMemcpyHostToDevice)); // @back
}

int main(int argc, char **) {
  std::vector<float> field = noise(N), border(Border);
  float *d_field;
  CHECK(cudaMalloc(&d_field, N * 4));
  CHECK(cudaMemcpy(d_field, field.data(), N * 4, cudaMemcpyHostToDevice));
  for (int step = 0; step < 8; ++step) {
    diffuse<<<N / 256, 256>>>(d_field);
    CHECK(cudaGetLastError());
    exchange(d_field, border.data(), argc);
  }
  CHECK(cudaMemcpy(field.data(), d_field, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(field));
  CHECK(cudaFree(d_field));
}
