// Three buffers that begin as zeros and that the kernel changes: too small for uniform-upload, and none can be shared.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: reupload advice line=@second
// EXPECT-REPORT: *fix: fill it with cudaMemset or cuMemsetD32: all elements are equal
// EXPECT-NO-REPORT: *share the buffer*
// EXPECT-CLEAN
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 6144, Bytes = N * 8;

__host__ __device__ inline void walkAt(unsigned i, long *at, long *offset, long *last) {
  offset[i] += i;
  at[i] += offset[i];
  last[i] += at[i] + 1;
}
__global__ void walk(long *at, long *offset, long *last) { walkAt(globalThread(), at, offset, last); }
SIMULATED(walk, walkAt)

int main() {
  for (int run = 0; run < 4; ++run) {
    std::vector<long> at(N), offset(N), last(N);
    long *d_at, *d_offset, *d_last;
    CHECK(cudaMalloc(&d_at, Bytes));
    CHECK(cudaMalloc(&d_offset, Bytes));
    CHECK(cudaMalloc(&d_last, Bytes));
#ifdef FIXED
    CHECK(cudaMemset(d_at, 0, Bytes));
    CHECK(cudaMemset(d_offset, 0, Bytes));
    CHECK(cudaMemset(d_last, 0, Bytes));
#else
    CHECK(cudaMemcpy(d_at, at.data(), Bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_offset, offset.data(), Bytes, cudaMemcpyHostToDevice)); // @second
    CHECK(cudaMemcpy(d_last, last.data(), Bytes, cudaMemcpyHostToDevice));
#endif
    walk<<<N / 256, 256>>>(d_at, d_offset, d_last);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(last.data(), d_last, Bytes, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(last));
    CHECK(cudaFree(d_at));
    CHECK(cudaFree(d_offset));
    CHECK(cudaFree(d_last));
  }
}
