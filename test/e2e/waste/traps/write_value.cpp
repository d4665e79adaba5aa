// A mailbox is cleared by the host before each turn; the stream itself writes into it what it was
// told, with cuStreamWriteValue32: a write that is no copy and no kernel. This time it was told zero.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@clear count=19
// EXPECT-NO: * proven
// EXPECT-STDOUT: sum 0
#include "../../Inputs/check.h"

#include <cuda.h>
#include <cuda_runtime.h>

int main(int argc, char **) {
  int *d_box, zero = 0, letter, sum = 0;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_box, 256));
  for (int turn = 0; turn < 20; ++turn) {
    CHECK(cudaMemcpy(d_box, &zero, 4, cudaMemcpyHostToDevice)); // @clear
    if (cuStreamWriteValue32(stream, (CUdeviceptr)d_box, unsigned(argc - 1), 0) != CUDA_SUCCESS)
      return 1;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&letter, d_box, 4, cudaMemcpyDeviceToHost));
    sum += letter;
  }
  printf("sum %d\n", sum);
  CHECK(cudaFree(d_box));
  CHECK(cudaStreamDestroy(stream));
}
