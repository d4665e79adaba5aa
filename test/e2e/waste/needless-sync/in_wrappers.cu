// Waits for nothing in an object's constructors: each line that makes one has the count of its own.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT: needless-sync advice function=first line=@a count=2
// EXPECT: needless-sync advice function=first line=@b count=2
// EXPECT: needless-sync advice function=first line=@c count=2
// EXPECT: needless-sync advice function=second line=@d count=4
// EXPECT: needless-sync advice function=second line=@e count=4
// EXPECT: needless-sync advice function=second line=@f count=4
// EXPECT: needless-sync advice function=third line=@g count=7
// EXPECT: needless-sync advice function=third line=@h count=7
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int N = 1 << 8;

struct Array {
  float *data;
  explicit Array(const std::vector<float> &from) {
    CHECK(cudaMalloc(&data, 4 * N));
    CHECK(cudaMemcpy(data, from.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
  }
  ~Array() { CHECK(cudaFree(data)); }
};

static void first(const std::vector<float> &x) {
  Array a(x); // @a
  Array b(x); // @b
  Array c(x); // @c
}
static void second(const std::vector<float> &x) {
  Array d(x); // @d
  Array e(x); // @e
  Array f(x); // @f
}
static void third(const std::vector<float> &x) {
  Array g(x); // @g
  Array h(x); // @h
}

int main() {
  std::vector<float> x = noise(N);
  for (int i = 0; i < 2; ++i)
    first(x);
  for (int i = 0; i < 4; ++i)
    second(x);
  for (int i = 0; i < 7; ++i)
    third(x);
}
