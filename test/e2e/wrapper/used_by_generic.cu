// A row that stands in a generic function, behind a wrapper, names who called that function: its
// waste and its leaks are told apart by them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=copyTo<double> line=@copyTo via=@copy caller=@weights caller-function=weights count=4
// EXPECT: noop-copy proven function=copyTo<double> line=@copyTo via=@copy caller=@biases caller-function=biases count=4
// EXPECT: leak proven function=copyTo<double> line=@make via-function=Array::make caller=@weights count=1 bytes=4096
// EXPECT: leak proven function=copyTo<double> line=@make via-function=Array::make caller=@biases count=1 bytes=8192
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO[twin]: leak
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <vector>

struct Array {
  void *p = nullptr;
  void make(size_t bytes) { CHECK(cudaMalloc(&p, bytes)); }
  void copy(const void *from, size_t bytes) {
    CHECK(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice)); // @copy
  }
};

/// No wrapper: it does work of its own.
template <class T> void copyTo(Array &to, const std::vector<T> &from) {
  std::vector<float> narrow;
  for (T x : from)
    narrow.push_back(float(x) * 0.5f);
  const size_t bytes = narrow.size() * sizeof(float);
  if (!to.p)
    to.make(bytes);              // @make
  to.copy(narrow.data(), bytes); // @copyTo
}

#ifdef FIXED
constexpr int Rounds = 1;
#else
constexpr int Rounds = 5;
#endif

static void weights(Array &to, const std::vector<double> &from) {
  for (int round = 0; round < Rounds; ++round)
    copyTo(to, from); // @weights
}

static void biases(Array &to, const std::vector<double> &from) {
  for (int round = 0; round < Rounds; ++round)
    copyTo(to, from); // @biases
}

int main() {
  std::vector<double> w(1024, 1.5), b(2048, 2.5);
  for (int i = 0; i < 1024; ++i)
    w[i] = i, b[i] = -i;
  std::vector<float> back(2048);
  Array first, second;
  weights(first, w);
  biases(second, b);
  CHECK(cudaMemcpy(back.data(), first.p, 4096, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(back.data() + 1024, second.p, 4096, cudaMemcpyDeviceToHost));
  printf("%g\n", back[3] + back[1026]);
#ifdef FIXED
  CHECK(cudaFree(first.p));
  CHECK(cudaFree(second.p));
#endif
}
