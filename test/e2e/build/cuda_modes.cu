// A CUDA file in all modes: the same findings everywhere.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-debug clang-lto clang-thinlto clang-ptsz clang-static nvcc nvcc-debug nvcc-static nvcc19
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_out type=int function=iota line=@leak count=1 bytes=4096 elements=1024
// EXPECT: ignored-error proven function=iota line=@ignored count=1
// EXPECT-ALL
// EXPECT-SITE: kind=launch callee=fill<int> function=iota line=@launch calls=1 failed=0
// EXPECT-SITE: kind=copy line=@copy calls=1 bytes=4096
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

template <typename T> __global__ void fill(T *out, T first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = first + i;
}

static bool iota(std::vector<int> &host) {
  int n = int(host.size()), *d_out;
  if (cudaMalloc(&d_out, n * sizeof(int)) != cudaSuccess) // @leak
    return false;
  fill<int><<<(n + 127) / 128, 128>>>(d_out, 5, n); // @launch
  bool ok = cudaMemcpy(host.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess; // @copy
#ifdef FIXED
  ok &= cudaFree(d_out) == cudaSuccess;
#else
  cudaMemset(nullptr, 0, 4); // @ignored
#endif
  return ok;
}

int main() {
  std::vector<int> host(1024);
  std::printf("%d\n", iota(host));
}
