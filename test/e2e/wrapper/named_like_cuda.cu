// The program's own functions whose names begin as CUDA's do: what they make is called what their
// callers have there, as of any other function.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=this->mask bytes=1KiB function=Alignment::setUp line=@mask
// EXPECT: leak proven variable=this->volume bytes=2KiB function=Alignment::setUp line=@volume
// EXPECT: leak proven variable=alignment.scratch bytes=512 function=main line=@prepared
// EXPECT: leak proven variable=d_plan bytes=256 function=main line=@plan
// EXPECT: leak proven variable=d_sum bytes=128 function=main line=@sum
// EXPECT-REPORT: via named_like_cuda.cu:{@setMask} Alignment::setMask, named_like_cuda.cu:*
// EXPECT-NO[twin]: * proven
#include "../Inputs/check.h"
#include "../Inputs/kernel.h"

#include <cuda_runtime.h>
#include <stdio.h>

template <class T> static cudaError_t cudaMallocAndCopy(T **target, const T *source, size_t n) {
  cudaError_t status;
  if ((status = cudaMalloc(target, n * sizeof(T))) != cudaSuccess)
    return status;
  return cudaMemcpy(*target, source, n * sizeof(T), cudaMemcpyHostToDevice);
}

extern "C" cudaError_t cudaMakePlan(float **plan, size_t n) {
  return cudaMalloc((void **)plan, n * sizeof(float));
}

static void *cuAllocate(size_t bytes) {
  void *made;
  CHECK(cudaMalloc(&made, bytes));
  return made;
}

__global__ void addAll(const int *mask, const float *volume, float *scratch, float *plan,
                       float *sum) {
  scratch[threadIdx.x] += volume[threadIdx.x];
  plan[threadIdx.x] = mask[threadIdx.x];
  sum[threadIdx.x] = scratch[threadIdx.x] + plan[threadIdx.x];
}

struct Alignment {
  int hostMask[256];
  float hostVolume[512];
  int *mask = nullptr;
  float *volume = nullptr, *scratch = nullptr;

  void setMask() {
    CHECK(cudaMallocAndCopy(&mask, hostMask, 256)); // @setMask
  }
  void setVolume() { CHECK(cudaMallocAndCopy(&volume, hostVolume, 512)); }
  __attribute__((noinline)) void setUp() {
    setMask();   // @mask
    setVolume(); // @volume
    int *own, none[4] = {}; // a job of its own: the rows stay here
    CHECK(cudaMalloc(&own, sizeof none));
    CHECK(cudaMemcpy(own, none, sizeof none, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(none, own, sizeof none, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(own));
  }
  void prepare() { CHECK(cudaMallocAndCopy(&scratch, hostVolume, 128)); }
};

int main() {
  Alignment alignment;
  for (int i = 0; i < 256; ++i)
    alignment.hostMask[i] = i, alignment.hostVolume[i] = alignment.hostVolume[i + 256] = 0.5f * i;
  alignment.setUp();
  alignment.prepare(); // @prepared
  float *d_plan, sum[32];
  CHECK(cudaMakePlan(&d_plan, 64)); // @plan
  float *d_sum = (float *)cuAllocate(128); // @sum
  addAll<<<1, 32>>>(alignment.mask, alignment.volume, alignment.scratch, d_plan, d_sum);
  CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
#ifdef FIXED
  CHECK(cudaFree(alignment.mask));
  CHECK(cudaFree(alignment.volume));
  CHECK(cudaFree(alignment.scratch));
  CHECK(cudaFree(d_plan));
  CHECK(cudaFree(d_sum));
#endif
  puts("done");
  return 0;
}
