// A check macro: line, variable and the spelled call survive it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_in type=int function=run line=@leak count=1 bytes=4000 elements=1000
// EXPECT-ALL
// EXPECT-SITE: kind=launch callee=fill line=@launch calls=1
// EXPECT-STDOUT[both]: ok: cudaMalloc((void **)&d_in, n * sizeof(int))
// EXPECT-STDOUT[both]: ok: cudaGetLastError()
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

static void report(cudaError_t status, const char *call, const char *file, int line) {
  if (status != cudaSuccess) {
    std::printf("%s:%d: %s failed\n", file, line, call);
    std::exit(1);
  }
  std::printf("ok: %s\n", call);
}
#define CUDA_CHECK(call) report((call), #call, __FILE__, __LINE__)
#define LAUNCH(kernel, blocks, ...)                                                                \
  do {                                                                                             \
    kernel<<<blocks, 128>>>(__VA_ARGS__);                                                          \
    CUDA_CHECK(cudaGetLastError());                                                                \
  } while (false)

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

static void run(int n) {
  int *d_in, *d_out;
  CUDA_CHECK(cudaMalloc((void **)&d_in, n * sizeof(int))); // @leak
  CUDA_CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
  LAUNCH(fill, 1, d_out, 7); // @launch
  CUDA_CHECK(cudaFree(d_out));
#ifdef FIXED
  CUDA_CHECK(cudaFree(d_in));
#endif
}

int main() { run(1000); }
