// A class whose memory a smart pointer holds: its users' lines get the findings, in their words,
// from nvcc too, whose cudafe++ writes (device).get().
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven variable=weights.device.get() function=main line=@again via-function=Field::upload count=5
// EXPECT-ALL
// OPTIONS: audit=full
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <memory>

struct Field {
  std::shared_ptr<float> device;
  std::vector<float> host;
  explicit Field(std::vector<float> values) : host(std::move(values)) {
    float *made = nullptr;
    CHECK(cudaMalloc(&made, host.size() * sizeof(float)));
    device = std::shared_ptr<float>(made, [](float *p) { CHECK(cudaFree(p)); });
  }
  void upload() {
    CHECK(cudaMemcpy(device.get(), host.data(), host.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
  }
};

__global__ void scale(float *x, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * 0.5f + w[i];
}

int main() {
  const int n = 1024;
  Field x(noise(n)), weights(noise(n));
  x.upload();
#ifdef FIXED
  weights.upload();
#endif
  for (int round = 0; round < 6; ++round) {
#ifndef FIXED
    weights.upload(); // @again
#endif
    scale<<<4, 256>>>(x.device.get(), weights.device.get(), n);
  }
  CHECK(cudaMemcpy(x.host.data(), x.device.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
  puts("done");
}
