// Trap: an object that is made anew each time keeps a flag on the device, mostly `true`. It is no buffer
// that one would keep for its bytes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: reupload advice line=@use count>=6
// EXPECT-NO: reupload proven
// EXPECT-NO: reupload likely
#include "../../Inputs/check.h"

#include <cuda_runtime.h>

class Flag {
public:
  explicit Flag(bool value) {
    CHECK(cudaMalloc(&d_flag, 1));
    CHECK(cudaMemcpy(d_flag, &value, 1, cudaMemcpyHostToDevice));
  }
  Flag(const Flag &) = delete;
  ~Flag() { CHECK(cudaFree(d_flag)); }
  bool get() const {
    bool value;
    CHECK(cudaMemcpy(&value, d_flag, 1, cudaMemcpyDeviceToHost));
    return value;
  }

private:
  bool *d_flag = nullptr;
};

int main() {
  int set = 0;
  for (int i = 0; i < 9; ++i)
    set += Flag(true).get(); // @use
  printf("%d\n", set);
}
