// A function that fills several pointers of its caller: each allocation has the name of its own
// argument there, in leaks and in what is said of a wrong free.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=result function=makeAll line=@host caller=@all count=1 bytes=1KiB
// EXPECT: leak proven variable=d_in function=makeAll line=@in caller=@all count=1 bytes=1KiB
// EXPECT: leak proven variable=buffers.out function=makeAll line=@out caller=@all count=1 bytes=1KiB
// EXPECT: leak proven variable=d_more function=makeAll line=@more caller=@all count=1 bytes=1KiB
// EXPECT: invalid-free proven variable=result line=@wrong count=1
// EXPECT-ALL
// EXPECT-NO[twin]: *
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <stdio.h>

struct Buffers {
  float *out;
};

__attribute__((noinline)) static void makeAll(const float *from, float **host, float **in,
                                              void **out, void **more, size_t n) {
  CHECK(cudaMallocHost(host, n * sizeof(float))); // @host
  CHECK(cudaMalloc(in, n * sizeof(float)));       // @in
  CHECK(cudaMalloc(out, n * sizeof(float)));      // @out
  CHECK(cudaMalloc(more, n * sizeof(float)));     // @more
  CHECK(cudaMemcpy(*more, from, n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(*in, *more, n * sizeof(float), cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(*out, *in, n * sizeof(float), cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(*host, *out, n * sizeof(float), cudaMemcpyDeviceToHost));
}

int main() {
  float from[256] = {1}, *result, *d_in, *d_more;
  Buffers buffers;
  makeAll(from, &result, &d_in, (void **)&buffers.out, reinterpret_cast<void **>(&d_more), 256); // @all
  printf("%g\n", result[0]);
#ifdef FIXED
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_more));
  CHECK(cudaFree(buffers.out));
  CHECK(cudaFreeHost(result));
#else
  if (cudaFree(result) != cudaErrorInvalidValue) // @wrong
    return 1;
  (void)cudaGetLastError();
#endif
}
