// The distance table is put into a new device_vector for every query.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// TWIN: FIXED
// EXPECT: reupload function=main line=@table count>=8
// EXPECT-NO[twin]: reupload
#include "../Inputs/data.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>

int main() {
  std::vector<float> values = noise(1 << 16);
  thrust::host_vector<float> table(values.begin(), values.end());
  float sum = 0;
#ifdef FIXED
  thrust::device_vector<float> distances = table;
#endif
  for (int query = 0; query < 12; ++query) {
#ifndef FIXED
    thrust::device_vector<float> distances = table; // @table
#endif
    sum += distances[query];
  }
  std::printf("%g\n", sum);
}
