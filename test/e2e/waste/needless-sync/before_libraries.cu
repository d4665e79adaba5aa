// The device is synchronised before a vendor library's call, before one of Thrust's, and before a
// launch whose number of blocks comes from a function elsewhere: kernels run in order without it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -std=c++17
// FLAGS[clang]: -isystem %cuda/include/cccl -Wno-pass-failed
// REQUIRES: cccl
// SHARED-PLAIN: libcublas.so.13 ../../library/Inputs/blas.cpp
// WITH-PLAIN: Inputs/numbers.cpp
// TWIN: FIXED
// EXPECT: needless-sync advice function=main line=@vendor count>=7
// EXPECT: needless-sync advice function=main line=@blocks count>=7
// EXPECT: needless-sync advice function=main line=@thrust count>=7
// EXPECT: needless-sync advice function=last line=@last count>=7
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include "../../library/Inputs/blas.h"

#include <thrust/device_vector.h>
#include <thrust/fill.h>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

int divideUp(int n, int by);
int lapOf(int watch);

static void last(float *x) {
  step<<<N / 256, 256>>>(x, 0.25f);
  CHECK(cudaDeviceSynchronize()); // @last
}

int main() {
  thrust::device_vector<float> x(N, 1.0f);
  thrust::device_vector<float> y(N, 1.0f);
  float *d_x = thrust::raw_pointer_cast(x.data());
  cublasHandle_t blas;
  cublasCreate_v2(&blas);
  const float alpha = 1;
  int sum = 0;
  for (int round = 0; round < 8; ++round) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize()); // @vendor
#ifdef FIXED
    sum += lapOf(0);
#endif
    cublasSscal_v2(blas, N, &alpha, d_x, 1);
    CHECK(cudaDeviceSynchronize()); // @blocks
#ifdef FIXED
    sum += lapOf(1);
#endif
    step<<<divideUp(N, 256), 256>>>(d_x, 0.75f);
    CHECK(cudaDeviceSynchronize()); // @thrust
#ifdef FIXED
    sum += lapOf(2);
#endif
    thrust::fill(y.begin(), y.end(), 1.0f);
    last(d_x);
#ifdef FIXED
    sum += lapOf(3);
#endif
  }
  cublasDestroy_v2(blas);
  printf("%d\n", sum);
}
