// Who allocated how much over the whole run: every kind of memory, by site; most at once, at exit.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: leak proven variable=d_lost line=@lost count=1 bytes=1048576
// EXPECT-CLEAN[twin]
// EXPECT-ALLOCATED[both]: line=@step variable=d_step[i] memory=device count=5 bytes=20480
// EXPECT-ALLOCATED[both]: line=@step peak_bytes=8192 live_count=0 live_bytes=0
// EXPECT-ALLOCATED[both]: line=@pool variable=d_pool memory=async count=3 bytes=6144 live_bytes=0
// EXPECT-ALLOCATED[both]: line=@pool peak_bytes=2048
// EXPECT-ALLOCATED[both]: line=@pinned variable=h_pinned memory=pinned count=1 bytes=65536
// EXPECT-ALLOCATED[both]: line=@pinned peak_bytes=65536 live_bytes=0
// EXPECT-ALLOCATED[both]: line=@managed variable=managed memory=managed bytes=4096 live_bytes=0
// EXPECT-ALLOCATED[both]: line=@lost variable=d_lost memory=device count=2 bytes=2097152
// EXPECT-ALLOCATED: line=@lost peak_bytes=2097152 live_count=1 live_bytes=1048576
// EXPECT-ALLOCATED[twin]: line=@lost peak_bytes=1048576 live_count=0 live_bytes=0
// EXPECT-REPORT: MEMORY   peak 2.10 MB of*
// EXPECT-REPORT[twin]: MEMORY   peak 1.05 MB of*
// EXPECT-REPORT[both]: *Total*Count*Avg*Peak*At exit*Kind*Name*Where
// EXPECT-REPORT: *2.10 MB*2*1.05 MB*2.10 MB*1.05 MB*device*d_lost*{@lost}
// EXPECT-REPORT[twin]: *2.10 MB*2*1.05 MB*1.05 MB*0*device*d_lost*{@lost}
// EXPECT-REPORT[both]: *20.5 kB*5*4.10 kB*8.19 kB*0*device*d_step[i]*{@step}
// EXPECT-REPORT[both]: *65.5 kB*1*65.5 kB*65.5 kB*0*pinned*h_pinned*{@pinned}
#include "../Inputs/check.h"

#include <cuda_runtime.h>

constexpr int Bytes = 4096;

static void step(int buffers) {
  float *d_step[2];
  for (int i = 0; i < buffers; ++i)
    CHECK(cudaMalloc(&d_step[i], Bytes)); // @step
  for (int i = 0; i < buffers; ++i) {
    CHECK(cudaMemset(d_step[i], 0, Bytes));
    CHECK(cudaFree(d_step[i]));
  }
}

int main() {
  float *h_pinned, *managed, *d_lost;
  CHECK(cudaMallocHost(&h_pinned, 16 * Bytes)); // @pinned
  CHECK(cudaMallocManaged(&managed, Bytes));    // @managed
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&d_lost, 256 * Bytes)); // @lost
    CHECK(cudaMemset(d_lost, i, 256 * Bytes));
#ifndef FIXED
    if (i == 1)
#endif
      CHECK(cudaFree(d_lost));
  }
  step(2);
  step(1);
  step(2);
  for (int i = 0; i < 3; ++i) {
    float *d_pool;
    CHECK(cudaMallocAsync(&d_pool, Bytes / 2, 0)); // @pool
    CHECK(cudaMemsetAsync(d_pool, i, Bytes / 2, 0));
    CHECK(cudaFreeAsync(d_pool, 0));
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(h_pinned));
  puts("done");
}
