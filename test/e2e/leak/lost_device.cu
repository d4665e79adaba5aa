// A kernel writes outside its memory: from then on every call fails by that error, frees as well. What the
// program did free is no leak; what it never freed is one, as without the error.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT: leak variable=d_kept line=@kept count=1
// EXPECT-NO: leak variable=d_data
// EXPECT-NO: leak variable=d_far
// EXPECT-NO: leak variable=stream
// EXPECT-NO: double-free
// EXPECT-NO: invalid-free
// EXPECT-STDOUT: cudaErrorIllegalAddress 3 times*
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scatter(float *data, const float *far) {
  data[threadIdx.x] = far[(1ll << 40) + threadIdx.x];
}

int main() {
  float *d_data, *d_far, *d_kept;
  cudaStream_t stream;
  if (cudaMalloc(&d_data, 4096) || cudaMalloc(&d_far, 4096) || cudaStreamCreate(&stream) ||
      cudaMalloc(&d_kept, 4096)) // @kept
    return 1;
  scatter<<<1, 64, 0, stream>>>(d_data, d_far);
  cudaError_t errors[] = {cudaDeviceSynchronize(), cudaFree(d_data), cudaFree(d_far)};
  cudaError_t destroyed = cudaStreamDestroy(stream);
  int count = 0;
  for (cudaError_t error : errors)
    count += error == cudaErrorIllegalAddress;
  printf("%s %d times%s\n", cudaGetErrorName(errors[0]), count, destroyed ? ", the stream as well" : "");
}
