// Pools may be of managed memory: what kernels write there the host reads without a call, once it has waited. Of a
// device's pool it cannot, and the wait is needless.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: simulator
// EXPECT: needless-sync advice function=ofDevice line=@device count>=5
// EXPECT-NO: needless-sync function=ofHostToo
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 0.5f * x[i] + float(i); }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

static void ofDevice(float *x) {
  for (int round = 0; round < 6; ++round) {
    step<<<N / 256, 256>>>(x);
    CHECK(cudaStreamSynchronize(nullptr)); // @device
  }
}

static float ofHostToo(float *x) {
  float sum = 0;
  for (int round = 0; round < 6; ++round) {
    step<<<N / 256, 256>>>(x);
    CHECK(cudaStreamSynchronize(nullptr));
    sum += x[round];
  }
  return sum;
}

static float *fromPool(cudaMemAllocationType type, cudaMemPool_t *pool) {
  cudaMemPoolProps properties = {};
  properties.allocType = type;
  properties.location.type = cudaMemLocationTypeDevice;
  float *x;
  CHECK(cudaMemPoolCreate(pool, &properties));
  CHECK(cudaMallocFromPoolAsync(&x, 4 * N, *pool, nullptr));
  return x;
}

int main() {
  const std::vector<float> zeros(N);
  cudaMemPool_t own, shared;
  float *d_own = fromPool(cudaMemAllocationTypePinned, &own);
  CHECK(cudaMemset(d_own, 0, 4 * N));
  ofDevice(d_own);
  std::vector<float> result(N);
  CHECK(cudaMemcpy(result.data(), d_own, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  CHECK(cudaFreeAsync(d_own, nullptr));

  float *both = fromPool(cudaMemAllocationTypeManaged, &shared), sum = 0;
  for (int time = 0; time < 5; ++time) {
    CHECK(cudaMemcpy(both, noise(N, time).data(), 4 * N, cudaMemcpyHostToDevice));
    sum += both[time]; // the host reads what came
  }
  sum += ofHostToo(both);
  printf("%a\n", sum);
  CHECK(cudaFreeAsync(both, nullptr));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaMemPoolDestroy(shared));
}
