// Compile-time benchmark: a small file that uses Thrust, with the many templates that this means.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

int main() {
  thrust::host_vector<float> values(1 << 16);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 2654435761u) & 0xffff);
  thrust::device_vector<float> device = values;
  thrust::sort(device.begin(), device.end());
  thrust::transform(device.begin(), device.end(), device.begin(), Square());
  std::printf("%g\n", thrust::reduce(device.begin(), device.end()));
  return 0;
}
