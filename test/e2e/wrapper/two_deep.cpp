// A copy inside a wrapper inside a wrapper has the names of the line that uses the outer one, and
// each of the two that the outer one asks for has its own.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@init via=@copy variable=net.weights.p count=4
// EXPECT: noop-copy proven function=main line=@init via=@copy variable=net.bias.p count=4
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <vector>

template <class T> struct Matrix {
  T *p = nullptr;
  size_t n = 0;
};
struct Net {
  Matrix<float> weights, bias;
};

template <class T> void upload(Matrix<T> &m, const T *from) {
  CHECK(cudaMemcpy(m.p, from, m.n * sizeof(T), cudaMemcpyHostToDevice)); // @copy
}

static void init(Net &to, const std::vector<float> &w, const std::vector<float> &p) {
  upload(to.weights, w.data());
  upload(to.bias, p.data());
}

int main() {
  std::vector<float> h_weights(1024), h_bias(1024), back(1024);
  for (int i = 0; i < 1024; ++i)
    h_weights[i] = float(i), h_bias[i] = float(-i);
  Net net;
  net.weights.n = net.bias.n = 1024;
  CHECK(cudaMalloc(&net.weights.p, 4096));
  CHECK(cudaMalloc(&net.bias.p, 4096));
  for (int round = 0; round < 5; ++round)
#ifdef FIXED
    if (round == 0)
#endif
      init(net, h_weights, h_bias); // @init
  CHECK(cudaMemcpy(back.data(), net.weights.p, 4096, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(back.data(), net.bias.p, 4096, cudaMemcpyDeviceToHost));
  printf("%g\n", back[3]);
  CHECK(cudaFree(net.weights.p));
  CHECK(cudaFree(net.bias.p));
}
