// Trap: managed memory is attached to the host, stream by stream; what the host then reads is its own
// only when the stream got there.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-NO: needless-sync
#include "../../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  float *table;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocManaged(&table, 4096));
  CHECK(cudaMemset(table, 0, 4096));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 5; ++round) {
    CHECK(cudaStreamAttachMemAsync(stream, table, 0, cudaMemAttachHost));
    CHECK(cudaStreamSynchronize(stream));
    table[round] = float(round);
  }
  printf("%d\n", int(table[4]));
  CHECK(cudaFree(table));
  CHECK(cudaStreamDestroy(stream));
}
