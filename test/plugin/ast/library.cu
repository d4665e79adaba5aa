// A call into a header-only library is one call of user code; what runs inside is not the user's.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
namespace mine {
namespace cuda { // a namespace of the program that has CUDA's name
void free_all() { cudaDeviceReset(); }
} // namespace cuda
} // namespace mine
int main() {
  // CHECK-DAG: [[@LINE+1]]:30 main calls thrust::device_vector<int>::device_vector(100 | 1) variable=v type=thrust::device_vector<int>
  thrust::device_vector<int> v(100, 1);
  // CHECK-DAG: [[@LINE+1]]:3 main calls mine::cuda::free_all()
  mine::cuda::free_all();
  // CHECK-DAG: [[@LINE+1]]:10 main calls thrust::reduce(v.begin() | v.end()){{$}}
  return thrust::reduce(v.begin(), v.end());
}
// CHECK-DAG: library.cu:9:19 mine::cuda::free_all calls cudaDeviceReset() discarded
// CHECK-NOT: {{^}}{{.*}}thrust{{.*}}: {{.*}} calls
// CHECK: joined {{[0-9]+}}, unjoined 0
