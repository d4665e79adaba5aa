// Trap: uploads of which more than a few elements differ, at their head or all over, or that are
// smaller than 64 KiB.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: uniform-upload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr size_t Bytes = 256 << 10;

__host__ __device__ inline void sumAt(unsigned i, const char *data, size_t n, unsigned *out) {
  unsigned sum = 0;
  for (size_t k = i; k < n; k += 256)
    sum += (unsigned char)data[k];
  out[i] = sum;
}
__global__ void sums(const char *data, size_t n, unsigned *out) {
  sumAt(globalThread(), data, n, out);
}
SIMULATED(sums, sumAt)

static void use(const std::vector<char> &data) {
  char *d_data;
  unsigned *d_out, out[256];
  CHECK(cudaMalloc(&d_data, data.size()));
  CHECK(cudaMalloc(&d_out, sizeof(out)));
  CHECK(cudaMemcpy(d_data, data.data(), data.size(), cudaMemcpyHostToDevice));
  sums<<<1, 256>>>(d_data, data.size(), d_out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
  printf("%zu: %08x\n", data.size(), checksum(out, sizeof(out)));
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_out));
}

int main() {
  std::vector<char> data(Bytes, 0);
  for (size_t i = 0; i < 17; ++i)
    data[Bytes / 2 + 4 * i] = 1;
  use(data);
  data.assign(Bytes + 3, 7);
  for (size_t i = 0; i < Bytes; i += 4096)
    data[i] = 8;
  use(data);
  data.assign(Bytes, 0);
  for (size_t i = 0; i < 2048; ++i)
    data[i] = char(i);
  use(data);
  use(std::vector<char>((64 << 10) - 4, 0));
}
