// Trap: uploads that differ in the last element or the last byte, or are smaller than 64 KiB.
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
  data.back() = 1;
  use(data);
  data.assign(Bytes + 3, 7);
  data.back() = 8;
  use(data);
  data.assign(Bytes, 0);
  data[Bytes / 2 + 5] = 1;
  use(data);
  use(std::vector<char>((64 << 10) - 4, 0));
}
