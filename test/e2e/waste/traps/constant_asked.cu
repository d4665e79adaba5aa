// Flags in constant memory whose address the program asked for: a kernel may raise them there, by
// addresses that lie in memory, and the host clears them for each launch. No launch of this run
// raises one. Asked for before the first copy to it, and behind that.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__constant__ int c_early[2], c_late[2];

__global__ void raise(const float *values, int **flags) {
  if (values[globalThread()] > 2)
    *flags[0] = *flags[1] = 1;
}
inline void raiseOnHost(unsigned i, const float *values, int **flags) {
  if (values[i] > 2)
    *flags[0] = *flags[1] = 1;
}
SIMULATED(raise, raiseOnHost)

int main() {
  int zeros[2] = {}, raised[2], *asked[2], **d_asked;
  std::vector<float> values = noise(256);
  float *d_values;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&asked[0]), c_early));
  CHECK(cudaMemcpyToSymbol(c_late, zeros, sizeof(zeros)));
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&asked[1]), c_late));
  CHECK(cudaMalloc(&d_asked, sizeof(asked)));
  CHECK(cudaMemcpy(d_asked, asked, sizeof(asked), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&d_values, values.size() * 4));
  CHECK(cudaMemcpy(d_values, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpyToSymbol(c_early, zeros, sizeof(zeros)));
    CHECK(cudaMemcpyToSymbol(c_late, zeros, sizeof(zeros)));
    raise<<<1, 256>>>(d_values, d_asked);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpyFromSymbol(&raised[0], c_early, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&raised[1], c_late, sizeof(int)));
  printf("%d %d\n", raised[0], raised[1]);
  CHECK(cudaFree(d_asked));
  CHECK(cudaFree(d_values));
}
