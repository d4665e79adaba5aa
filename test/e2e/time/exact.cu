// Every launch, copy and set is timed, and charged to its line: two threads, ten thousand launches.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-ptsz nvcc
// ONLY: gpu
// FLAGS: -pthread
// OPTIONS: gpu_time=exact:audit=off:verbose=1
// EXPECT-CLEAN
// EXPECT-SITE: line=@launch calls=40 device-method=exact device-operations=40 device-samples=40
// EXPECT-SITE: line=@other calls=10000 device-method=exact device-operations=10000
// EXPECT-SITE: line=@threads calls=10000 device-method=exact device-operations=10000
// EXPECT-SITE: line=@upload device-method=exact device-operations=3
// EXPECT-SITE: line=@download device-method=exact device-operations=3
// EXPECT-SITE: line=@set device-method=exact device-operations=3
// EXPECT-SITE: line=@nothing device-method= device-operations=0
// EXPECT-SITE: line=@wait device-method= device-samples=0
// EXPECT-REPORT: GPU 0    kernels*
// EXPECT-REPORT: *idle * start-up*
// EXPECT-REPORT: KERNELS*
// EXPECT-REPORT: *Instances*Avg*Med*Min*Max*StdDev*Name*Where
// EXPECT-REPORT: *add*{@launch}
// EXPECT-REPORT: *H2D pinned*{@upload}
// EXPECT-REPORT: *memset*{@set}
// EXPECT-REPORT: LAUNCHES*
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <thread>

constexpr int N = 1 << 20;

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }
template <class T> __global__ void tiny(T *x) { *x += 1; }

int main() {
  int *h_x, *d_x;
  CHECK(cudaMallocHost(&h_x, N * sizeof(int)));
  CHECK(cudaMalloc(&d_x, N * sizeof(int)));
  for (int i = 0; i < N; ++i)
    h_x[i] = i;
  for (int step = 0; step < 3; ++step) {
    CHECK(cudaMemsetAsync(d_x, 0, N * sizeof(int), 0));                           // @set
    CHECK(cudaMemcpyAsync(d_x, h_x, N * sizeof(int), cudaMemcpyHostToDevice, 0)); // @upload
    CHECK(cudaMemcpyAsync(d_x, h_x, 0, cudaMemcpyHostToDevice, 0));               // @nothing
    CHECK(cudaDeviceSynchronize());                                               // @wait
    CHECK(cudaMemcpy(h_x, d_x, N * sizeof(int), cudaMemcpyDeviceToHost));         // @download
  }
  std::thread worker([=] {
    for (int i = 0; i < 10000; ++i)
      tiny<<<1, 1>>>(d_x); // @threads
  });
  for (int i = 0; i < 40; ++i)
    add<<<N / 256, 256>>>(d_x, i); // @launch
  for (int i = 0; i < 10000; ++i)
    tiny<<<1, 1>>>(d_x); // @other
  worker.join();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(h_x));
}
