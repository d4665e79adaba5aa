// A function-static arena that serves pieces and is never given back.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: held-at-exit information memory=device variable=*base function=main line=@take via=@arena via-function=Arena::grow count=1 bytes=1048576
// EXPECT-CLEAN
// EXPECT-NO: leak
#include "../Inputs/check.h"

#include <cuda_runtime.h>

class Arena {
public:
  void *take(size_t bytes) {
    if (!base)
      grow();
    void *piece = base + used;
    used += (bytes + 255) & ~size_t(255);
    return piece;
  }

private:
  void grow() {
    CHECK(cudaMalloc(&base, 1 << 20)); // @arena
  }
  char *base = nullptr;
  size_t used = 0;
};

static Arena &arena() {
  static Arena instance;
  return instance;
}

int main() {
  void *a = arena().take(1000), *b = arena().take(2000); // @take
  CHECK(cudaMemset(a, 1, 1000));
  CHECK(cudaMemcpy(b, a, 1000, cudaMemcpyDeviceToDevice));
  puts("done");
}
