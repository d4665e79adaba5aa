// A batch of copies brings the layers' parameters along with each new input.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@batch count>=8
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>
#include <string.h>

int main() {
  constexpr size_t Bytes = 1 << 18, Batches = 12;
  char *input, *layers, *d_input, *d_layers;
  std::vector<float> seen(Bytes / 4);
  cudaStream_t stream;
  uint32_t sum = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&input, Bytes));
  CHECK(cudaMallocHost(&layers, Bytes));
  CHECK(cudaMalloc(&d_input, Bytes));
  CHECK(cudaMalloc(&d_layers, Bytes));
  memcpy(layers, noise(Bytes / 4).data(), Bytes);
  void *targets[] = {d_input, d_layers};
  const void *sources[] = {input, layers};
  size_t sizes[] = {Bytes, Bytes}, first = 0;
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  for (size_t i = 0; i < Batches; ++i) {
    memcpy(input, noise(Bytes / 4, 9 + uint32_t(i)).data(), Bytes);
#ifdef FIXED
    CHECK(cudaMemcpyBatchAsync(targets, sources, sizes, i ? 1 : 2, &how, &first, 1, stream));
#else
    CHECK(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &how, &first, 1, stream)); // @batch
#endif
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(seen.data(), i % 2 ? d_input : d_layers, Bytes, cudaMemcpyDeviceToHost));
    sum += checksum(seen);
  }
  printf("%08x\n", sum);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_input));
  CHECK(cudaFree(d_layers));
  CHECK(cudaFreeHost(input));
  CHECK(cudaFreeHost(layers));
}
