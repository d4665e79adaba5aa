// An RAII buffer: its user's lines get the leak, the waste and the rows of the tables.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=lost type=float function=main line=@lost via=@Inputs/buffer.h:alloc via-function=Buffer<float>::Buffer bytes=2048
// EXPECT: noop-copy proven variable=weights.ptr function=main line=@again via=@Inputs/buffer.h:upload count=5
// EXPECT-ALL
// EXPECT-SITE[both]: kind=copy callee=cudaMemcpy line=@input via=@Inputs/buffer.h:upload calls=1 bytes=4096
// EXPECT-SITE: kind=copy callee=cudaMemcpy line=@again via=@Inputs/buffer.h:upload calls=6 bytes=24576
// EXPECT-SITE[both]: kind=copy callee=cudaMemcpy line=@back via=@Inputs/buffer.h:download calls=1 bytes=4096
// EXPECT-NO-SITE[both]: file=*buffer.h calls>=1
// EXPECT-ALLOCATED: variable=lost line=@lost via=@Inputs/buffer.h:alloc count=1 live_count=1
// EXPECT-REPORT: leak *2.05 kB x1*lost*float[512]*raii.cu:{@lost}*main
// EXPECT-REPORT: via buffer.h:* Buffer<float>::Buffer
// EXPECT-REPORT: noop-copy *weights.ptr <- hostWeights.data() H2D*raii.cu:{@again}*main*
// EXPECT-REPORT: via buffer.h:* Buffer<float>::upload
// EXPECT-NO-REPORT: *cudaMemcpy*buffer.h:*
// OPTIONS: audit=full
#include "Inputs/buffer.h"

__global__ void scale(float *x, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * 0.5f + w[i];
}

int main() {
  const int n = 1024;
  std::vector<float> hostWeights(n), input(n, 3.0f), result(n);
  for (int i = 0; i < n; ++i)
    hostWeights[i] = float(i % 97), input[i] = float(i);
  Buffer<float> x(n), weights(n);
  auto *lost = new Buffer<float>(n / 2); // @lost
  CHECK(cudaMemset(lost->data(), 0, n));
  scale<<<2, 256>>>(lost->data(), lost->data(), n / 2);
  x.upload(input); // @input
#ifdef FIXED
  weights.upload(hostWeights);
#endif
  for (int round = 0; round < 6; ++round) {
#ifndef FIXED
    weights.upload(hostWeights); // @again
#endif
    scale<<<4, 256>>>(x.data(), weights.data(), n);
  }
  x.download(result); // @back
#ifdef FIXED
  delete lost;
#endif
  puts("done");
}
