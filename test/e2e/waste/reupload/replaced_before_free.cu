// Each round's new buffer gets a table, and later other bytes from another line: when it is freed it holds these. To
// keep the table a buffer of its own would be needed, so that it is sent again is no more than advice.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full:verbose=1
// EXPECT: reupload advice line=@table count>=4
// EXPECT-NO: reupload likely line=@table
// EXPECT-NO: reupload proven line=@table
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 16;

int main() {
  std::vector<float> table = noise(N, 1), values, back(N);
  for (unsigned round = 0; round < 8; ++round) {
    float *d_x;
    values = noise(N, 2 + round);
    CHECK(cudaMalloc(&d_x, 4 * N));
    CHECK(cudaMemcpy(d_x, table.data(), 4 * N, cudaMemcpyHostToDevice)); // @table
    CHECK(cudaMemcpy(back.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(back));
    CHECK(cudaMemcpy(d_x, values.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(back.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(back));
    CHECK(cudaFree(d_x));
  }
}
