// Thrust: what it does inside is charged to the user's line.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: leak proven memory=device function=main line=@leak count=1 bytes=4000
// EXPECT-ALL
// EXPECT-SITE[both]: kind=region callee=thrust::sort* line=@sort calls=8
// EXPECT-NO-SITE[both]: file=*/cccl/*
// EXPECT-NO-SITE[both]: callee=cub::*
// EXPECT[both]: alloc-churn advice line=@sort
// EXPECT-NO[both]: needless-sync
// EXPECT-REPORT: *thrust::cuda::par(allocator)*
// OPTIONS: verbose=1
// EXPECT-STDOUT[both,carried]: 1000 values, sorted: 1
// EXPECT-STDOUT[both,gpu]: 1000 values, sorted: 1
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>

int main() {
  thrust::host_vector<int> host(1000);
  for (int i = 0; i < 1000; ++i)
    host[i] = (i * 7919) % 1000;
  thrust::device_vector<int> values = host;
  auto *kept = new thrust::device_vector<int>(1000); // @leak
  for (int round = 0; round < 8; ++round)
    thrust::sort(values.begin(), values.end()); // @sort: its waits are its own
  thrust::copy(values.begin(), values.end(), host.begin());
  std::printf("%zu values, sorted: %d\n", host.size(), std::is_sorted(host.begin(), host.end()));
#ifdef FIXED
  delete kept;
#else
  (void)kept;
#endif
}
