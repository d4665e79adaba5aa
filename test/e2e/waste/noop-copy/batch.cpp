// Batches of copies are judged by what the host sends, and they write: zeroes that a batch has
// overwritten must be uploaded again, and so must what it overwrote them with.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@batch count=5 bytes=1280KiB
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t bytes = 1 << 18;
  std::vector<float> zeroes(bytes / 4), one = noise(bytes / 4), two = noise(bytes / 4, 7);
  std::vector<uint32_t> seen(6);
  char *d_one, *d_two;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_one, bytes));
  CHECK(cudaMalloc(&d_two, bytes));
  void *targets[] = {d_one, d_two};
  const void *sources[] = {one.data(), two.data()};
  size_t sizes[] = {bytes, bytes}, first = 0;
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  for (int i = 0; i < 6; ++i) {
    CHECK(cudaMemcpy(d_one, zeroes.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &how, &first, 1, stream)); // @batch
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&seen[i], d_one + 4 * i, 4, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(seen));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_one));
  CHECK(cudaFree(d_two));
}
