// Downloads that bring the same bytes each time, to memory of the host's that a kernel may write: it does in one round, and
// the next download is needed. So is one of what was uploaded from there, before the kernel; that upload itself is always
// the same. Memory that no kernel gets is another matter.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-NO: * proven line=@restored
// EXPECT-NO: * proven line=@back
// EXPECT: noop-copy proven function=main line=@alone
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int N = 1 << 16, Rounds = 60, Written = 50;

__global__ void mark(float *x, const float *at) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*at > 0)
    x[i] = *at;
}

int main() {
  const std::vector<float> start = noise(N);
  float *d_start, *d_x, *d_at, *shared, *sent, *alone;
  CHECK(cudaMalloc(&d_start, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_at, 4));
  CHECK(cudaMemcpy(d_start, start.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMallocHost(&shared, 4 * N));
  CHECK(cudaMallocHost(&sent, 4 * N));
  CHECK(cudaMallocHost(&alone, 4 * N));
  std::copy(start.begin(), start.end(), sent);
  unsigned sum = 0;
  for (int round = 0; round < Rounds; ++round) {
    const float at = round == Written ? 1 : -float(round) - 1;
    CHECK(cudaMemcpy(d_at, &at, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(shared, d_start, 4 * N, cudaMemcpyDeviceToHost)); // @restored
    CHECK(cudaMemcpy(alone, d_start, 4 * N, cudaMemcpyDeviceToHost));  // @alone
    CHECK(cudaMemcpy(d_x, sent, 4 * N, cudaMemcpyHostToDevice));       // @sent
    mark<<<N / 256, 256>>>(shared, d_at);
    mark<<<N / 256, 256>>>(sent, d_at);
    CHECK(cudaDeviceSynchronize());
    sum += checksum(std::vector<float>(shared, shared + N));
    sum += checksum(std::vector<float>(sent, sent + N));
    CHECK(cudaMemcpy(sent, d_x, 4 * N, cudaMemcpyDeviceToHost)); // @back
  }
  printf("%08x\n", sum);
  for (float *host : {shared, sent, alone})
    CHECK(cudaFreeHost(host));
  for (float *device : {d_start, d_x, d_at})
    CHECK(cudaFree(device));
}
