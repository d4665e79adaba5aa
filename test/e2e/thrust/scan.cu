// Thrust: what it does inside is charged to the user's line.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: leak proven memory=device function=main line=@leak count=1 bytes=4000
// EXPECT-ALL
// EXPECT-SITE[both]: kind=region callee=thrust::inclusive_scan* line=@scan calls=8
// EXPECT-NO-SITE[both]: file=*/cccl/*
// EXPECT-NO-SITE[both]: callee=cub::*
// EXPECT[both]: alloc-churn advice line=@scan
// EXPECT-NO[both]: needless-sync
// EXPECT[both]: alloc-churn advice line=@extrema count=5
// EXPECT[both]: alloc-churn advice variable=copied line=@vector count=5
// EXPECT-NO[both]: alloc-churn variable=found
// EXPECT-REPORT: *fix: let it be destroyed*
// EXPECT-REPORT: *thrust::cuda::par(allocator)*
// EXPECT-REPORT: *fix: allocate copied once, before the loop, or give it*
// OPTIONS: verbose=1
// EXPECT-STDOUT[both,carried]: 200 values, sorted: 1
// EXPECT-STDOUT[both,gpu]: 200 values, sorted: 1
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cstdio>

int main() {
  thrust::host_vector<unsigned long long> host(200); // below 6 * 200^8, which fits
  for (unsigned i = 0; i < host.size(); ++i)
    host[i] = i / 30;
  thrust::device_vector<unsigned long long> values = host;
  auto *kept = new thrust::device_vector<int>(1000); // @leak
  for (int round = 0; round < 8; ++round) {
    thrust::reverse(values.begin(), values.end());
    thrust::inclusive_scan(values.begin(), values.end(), values.begin()); // @scan: its waits are its own
  }
  int range = 0;
  for (int round = 0; round < 5; ++round) {
    auto found = thrust::minmax_element(values.begin(), values.end()); // @extrema: memory of its own
    range += int(found.second - found.first);
  }
  for (int round = 0; round < 5; ++round) {
    thrust::device_vector<unsigned long long> copied(values.begin(), values.end()); // @vector
    range += copied.back();
  }
  thrust::copy(values.begin(), values.end(), host.begin());
  (void)range;
  std::printf("%zu values, sorted: %d\n", host.size(), std::is_sorted(host.begin(), host.end()));
#ifdef FIXED
  delete kept;
#else
  (void)kept;
#endif
}
