// A stream of its own for each upload, destroyed while the copy is under way, as that ends by itself. The device is
// synchronised when the next stream is there, in the place of the other. A second wait finds nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: needless-sync advice function=main line=@again count>=8
// EXPECT-NO: needless-sync line=@needed
// EXPECT-NO[twin]: needless-sync
#include "Inputs/uploads.h"

int main() {
  Uploads data;
  for (int round = 0; round < Rounds; ++round) {
    data.fill(round);
    cudaStream_t upload, stream;
    CHECK(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(data.d_x, data.x, 4 * N, cudaMemcpyHostToDevice, upload));
    CHECK(cudaStreamDestroy(upload));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize()); // @needed
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @again
#endif
    step<<<N / 256, 256, 0, stream>>>(data.d_y, data.d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  data.finish();
}
