// What both units of separate.cu know.
// SPDX-License-Identifier: Apache-2.0
extern __device__ int value;
__device__ int twice(int x);
void launchOther(int *out);
template <class T> __device__ T swapped(T x) {
  __shared__ T tile[32];
  tile[threadIdx.x] = x;
  __syncthreads();
  return tile[threadIdx.x ^ 1];
}
