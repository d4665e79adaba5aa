// What std::make_unique and std::make_shared make has the name of the pointer that keeps it, as with new.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=first bytes=1KiB function=main line=@first via-function=Data::Data
// EXPECT: leak proven variable=second bytes=2KiB function=main line=@second via-function=Data::Data
// EXPECT: leak proven variable=net.weights bytes=128 caller=@net
// EXPECT: leak proven variable=net.bias bytes=64 caller=@net
// EXPECT: leak proven variable=both->rows bytes=512 function=Both::Both line=@rows caller=@both
// EXPECT: leak proven variable=both->columns bytes=256 function=Both::Both line=@columns caller=@both
// EXPECT-ALL
// EXPECT-NO[twin]: * proven
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <memory>
#include <stdio.h>

struct Data {
  float *ptr = nullptr;
  explicit Data(size_t n) { CHECK(cudaMalloc(&ptr, n * sizeof(float))); }
#ifdef FIXED
  ~Data() { CHECK(cudaFree(ptr)); }
#endif
};

struct Both {
  float *rows = nullptr, *columns = nullptr;
  explicit Both(size_t n) {
    CHECK(cudaMalloc(&rows, n * sizeof(float)));        // @rows
    CHECK(cudaMalloc(&columns, n / 2 * sizeof(float))); // @columns
  }
#ifdef FIXED
  ~Both() {
    CHECK(cudaFree(rows));
    CHECK(cudaFree(columns));
  }
#endif
};

struct Net {
  std::unique_ptr<Data> weights;
  std::shared_ptr<Data> bias;
  explicit Net(size_t n) : weights(std::make_unique<Data>(n)) {
    bias = std::make_shared<Data>(n / 2);
  }
};

int main() {
  auto first = std::make_unique<Data>(256);                       // @first
  std::shared_ptr<Data> second = std::make_shared<Data>(512);     // @second
  const std::unique_ptr<Both> both = std::make_unique<Both>(128); // @both
  Net net(32);                                                    // @net
  printf("%d\n", first->ptr != second->ptr && both->rows && net.weights->ptr);
}
