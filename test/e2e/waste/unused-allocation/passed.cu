// A coder hands tables to a kernel that writes them only in a build for tests.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: unused-allocation likely function=main line=@codes variable=d_codes related=@launch count=1 bytes=256KiB
// EXPECT: unused-allocation likely function=main line=@lengths variable=d_lengths related=@launch count=1 bytes=256KiB
// EXPECT-NO: unused-allocation variable=d_copied
// EXPECT-NO: unused-allocation variable=d_maybe
// EXPECT-ALL
// EXPECT-NO[twin]: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

#ifdef FIXED
#define TABLES
#define TABLES_USED
#else
#define TABLES , unsigned *codes, unsigned *lengths
#define TABLES_USED , codes, lengths
#endif

__host__ __device__ inline void encodeAt(unsigned i, const float *in, float *out, float *copied,
                                         float *maybe, int copies TABLES) {
  out[i] = in[i] * 2;
  if (copies > 5)
    maybe[i] = copied[i];
#ifdef TESTING
  codes[i] = lengths[i] = i;
#endif
}
__global__ void encode(const float *in, float *out, float *copied, float *maybe,
                       int copies TABLES) {
  encodeAt(globalThread(), in, out, copied, maybe, copies TABLES_USED);
}
SIMULATED(encode, encodeAt)

int main() {
  std::vector<float> in = noise(N), out(N);
  float *d_in, *d_out, *d_copied, *d_maybe;
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMalloc(&d_copied, 4 * N));
  CHECK(cudaMalloc(&d_maybe, 4 * N)); // by the code it may be written
#ifndef FIXED
  unsigned *d_codes, *d_lengths;
  CHECK(cudaMalloc(&d_codes, 4 * N)); // @codes
  CHECK(cudaMalloc(&d_lengths, 4 * N)); // @lengths
#endif
  CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_copied, in.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; ++i)
#ifdef FIXED
    encode<<<N / 256, 256>>>(d_in, d_out, d_copied, d_maybe, i);
#else
    encode<<<N / 256, 256>>>(d_in, d_out, d_copied, d_maybe, i, d_codes, d_lengths); // @launch
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  for (void *p : {(void *)d_in, (void *)d_out, (void *)d_copied, (void *)d_maybe})
    CHECK(cudaFree(p));
#ifndef FIXED
  CHECK(cudaFree(d_codes));
  CHECK(cudaFree(d_lengths));
#endif
}
