// Trap: a function of the driver gets its addresses in a struct and writes through them: what is reset before it is
// no no-op, what is uploaded for it is read.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// BUILD: clang-O2 nvcc
// WITH-PLAIN: Inputs/decompressor.cpp
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: needless-sync line=@wait
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda.h>

constexpr int Bytes = 1 << 16;

int main() {
  std::vector<char> packed(Bytes), found(Bytes);
  char *d_packed, *d_out;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_packed, Bytes));
  CHECK(cudaMalloc(&d_out, Bytes));
  int errors = 0;
  for (int round = 0; round < 12; ++round) {
    packed[1] = char(round); // the first byte is what went wrong: nothing, this time
    CHECK(cudaMemcpy(d_packed, packed.data(), Bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, 1));
    CUmemDecompressParams params = {};
    params.srcNumBytes = params.dstNumBytes = 1;
    params.src = d_packed;
    params.dst = d_out;
    if (cuMemBatchDecompressAsync(&params, 1, 0, nullptr, stream) != CUDA_SUCCESS)
      return 1;
    CHECK(cudaStreamSynchronize(stream)); // @wait
    printf("%d\n", round);
    CHECK(cudaMemcpy(found.data(), d_out, 1, cudaMemcpyDeviceToHost));
    errors += found[0];
  }
  printf("%d\n", errors);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_packed));
  CHECK(cudaFree(d_out));
}
