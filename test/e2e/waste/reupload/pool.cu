// The same with stream-ordered allocations: a matrix goes up, is used and freed in each request.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload function=main line=@upload variable=d_matrix count>=4 bytes>=8MiB
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 19;

__host__ __device__ inline void traceAt(unsigned i, const float *matrix, float factor,
                                        float *out) {
  out[i] = factor * matrix[i * 512 + i % 512];
}
__global__ void trace(const float *matrix, float factor, float *out) {
  traceAt(globalThread(), matrix, factor, out);
}
SIMULATED(trace, traceAt)

int main() {
  float *matrix, *out, *d_matrix = nullptr, *d_out;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&matrix, N * 4));
  CHECK(cudaMallocHost(&out, 1024 * 4));
  CHECK(cudaMalloc(&d_out, 1024 * 4));
  memcpy(matrix, noise(N).data(), N * 4);
  for (int request = 0; request < 7; ++request) {
#ifdef FIXED
    if (request == 0)
#endif
    {
      CHECK(cudaMallocAsync(&d_matrix, N * 4, stream));
      CHECK(cudaMemcpyAsync(d_matrix, matrix, N * 4, cudaMemcpyHostToDevice, stream)); // @upload
    }
    trace<<<8, 128, 0, stream>>>(d_matrix, float(request), d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, d_out, 1024 * 4, cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
    if (request == 6)
#endif
      CHECK(cudaFreeAsync(d_matrix, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d: %08x\n", request, checksum(out, 4096));
  }
  CHECK(cudaFree(d_out));
  CHECK(cudaFreeHost(matrix));
  CHECK(cudaFreeHost(out));
  CHECK(cudaStreamDestroy(stream));
}
