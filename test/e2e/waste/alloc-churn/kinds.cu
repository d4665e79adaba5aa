// A scratch of each kind of memory is made anew in every step. Only of device memory a pool may
// hand out another one: what the host reads, or a pitch belongs to, no pool has.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full verbose=1
// EXPECT: alloc-churn advice line=@device count>=7 fix=*cudaMallocAsync*
// EXPECT: alloc-churn advice line=@pinned count>=7 fix=*before*the*loop
// EXPECT: alloc-churn advice line=@managed count>=7 fix=*before*the*loop
// EXPECT: alloc-churn advice line=@pitched count>=7 fix=*before*the*loop
// EXPECT: alloc-churn advice line=@array count>=7 variable=array fix=*before*the*loop
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 14;

__host__ __device__ inline void scaleAt(unsigned i, const float *from, float *to, float by) {
  to[i] = from[i] * by;
}
__global__ void scale(const float *from, float *to, float by) { scaleAt(globalThread(), from, to, by); }
SIMULATED(scale, scaleAt)

static void step(const float *d_in, std::vector<float> &out, float by) {
  float *d_out, *managed, *pinned, *d_rows;
  size_t pitch;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc(&d_out, 4 * N));               // @device
  CHECK(cudaMallocHost(&pinned, 4 * N));          // @pinned
  CHECK(cudaMallocManaged(&managed, 4 * N));      // @managed
  CHECK(cudaMallocPitch(&d_rows, &pitch, 512, 128)); // @pitched
  CHECK(cudaMallocArray(&array, &format, 128, 128)); // @array
  CHECK(cudaMemcpy2DToArray(array, 0, 0, d_in, 512, 512, 128, cudaMemcpyDeviceToDevice));
  scale<<<N / 256, 256>>>(d_in, d_out, by);
  scale<<<N / 256, 256>>>(d_out, d_rows, by);
  scale<<<N / 256, 256>>>(d_rows, managed, by);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(pinned, d_out, 4 * N, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i)
    out[i] += pinned[i] + managed[i];
  CHECK(cudaFree(d_out));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(managed));
  CHECK(cudaFree(d_rows));
  CHECK(cudaFreeArray(array));
}

int main() {
  std::vector<float> in = noise(N), out(N);
  float *d_in;
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMemcpy(d_in, in.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 8; ++i)
    step(d_in, out, float(i + 1));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_in));
}
